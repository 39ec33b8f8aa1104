// /onboarding/assets
import { AssetsStep } from '../features/onboarding/AssetsStep';

export function Component() {
  return <AssetsStep />;
}
