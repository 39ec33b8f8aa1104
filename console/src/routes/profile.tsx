// /profile
import { Profile } from '../features/profile/Profile';

export function Component() {
  return <Profile />;
}
