// /invite#{token}, and /invite/{token} of older links
import { Invitation } from '../features/sign-in/Invitation';

export function Component() {
  return <Invitation />;
}
