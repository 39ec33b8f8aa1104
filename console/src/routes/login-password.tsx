// /login/password
import { PasswordForm } from '../features/sign-in/PasswordForm';

export function Component() {
  return <PasswordForm />;
}
