// /automation/rules
import { useFarms } from '../api/farms';
import { Rules } from '../features/rules/Rules';
import { WaitingForFarm } from '../features/shell/WaitingForFarm';

export function Component() {
  const { current } = useFarms();
  return current ? <Rules key={current.id} farmId={current.id} role={current.role} /> : <WaitingForFarm />;
}
