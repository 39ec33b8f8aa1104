// /otp-verify
import { CodeVerify } from '../features/sign-in/CodeVerify';

export function Component() {
  return <CodeVerify />;
}
