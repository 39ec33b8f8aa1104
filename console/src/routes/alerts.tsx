// /alerts and /notifications
import { useFarms } from '../api/farms';
import { Alerts } from '../features/alerts/Alerts';
import { WaitingForFarm } from '../features/shell/WaitingForFarm';

export function Component() {
  const { current } = useFarms();
  return current ? <Alerts key={current.id} farm={current} /> : <WaitingForFarm />;
}
