// /new-password
import { NewPassword } from '../features/sign-in/NewPassword';

export function Component() {
  return <NewPassword />;
}
