// /onboarding/users
import { UsersStep } from '../features/onboarding/UsersStep';

export function Component() {
  return <UsersStep />;
}
