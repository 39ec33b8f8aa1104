// /register
import { Register } from '../features/sign-in/Register';

export function Component() {
  return <Register />;
}
