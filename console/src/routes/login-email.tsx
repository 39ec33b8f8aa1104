// /login/email
import { EmailCode } from '../features/sign-in/EmailCode';

export function Component() {
  return <EmailCode />;
}
