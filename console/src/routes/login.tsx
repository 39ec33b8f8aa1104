// /login
import { CodeRequest } from '../features/sign-in/CodeRequest';

export function Component() {
  return <CodeRequest />;
}
