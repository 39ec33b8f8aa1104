// /history
import { useFarms } from '../api/farms';
import { History } from '../features/history/History';
import { WaitingForFarm } from '../features/shell/WaitingForFarm';

export function Component() {
  const { current } = useFarms();
  return current ? <History key={current.id} farmId={current.id} /> : <WaitingForFarm />;
}
