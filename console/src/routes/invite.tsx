// /invite/{token}
import { Invitation } from '../features/sign-in/Invitation';

export function Component() {
  return <Invitation />;
}
