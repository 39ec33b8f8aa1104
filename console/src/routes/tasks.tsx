// /tasks
import { useFarms } from '../api/farms';
import { WaitingForFarm } from '../features/shell/WaitingForFarm';
import { Tasks } from '../features/tasks/Tasks';

export function Component() {
  const { current } = useFarms();
  return current ? <Tasks key={current.id} farmId={current.id} role={current.role} /> : <WaitingForFarm />;
}
