// /automation/logs
import { useFarms } from '../api/farms';
import { Logs } from '../features/logs/Logs';
import { WaitingForFarm } from '../features/shell/WaitingForFarm';

export function Component() {
  const { current } = useFarms();
  return current ? <Logs key={current.id} farmId={current.id} /> : <WaitingForFarm />;
}
