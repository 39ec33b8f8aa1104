// /automation/manual
import { useFarms } from '../api/farms';
import { Control } from '../features/control/Control';
import { WaitingForFarm } from '../features/shell/WaitingForFarm';

export function Component() {
  const { current } = useFarms();
  return current ? <Control key={current.id} farmId={current.id} role={current.role} /> : <WaitingForFarm />;
}
