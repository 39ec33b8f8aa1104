// /dashboard
import { useFarms } from '../api/farms';
import { Dashboard } from '../features/dashboard/Dashboard';
import { WaitingForFarm } from '../features/shell/WaitingForFarm';

export function Component() {
  const { current } = useFarms();
  // A farm of its own key: nothing of the last farm stays on screen.
  return current ? (
    <Dashboard key={current.id} farmId={current.id} role={current.role} />
  ) : (
    <WaitingForFarm />
  );
}
