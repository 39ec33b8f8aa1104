// /polyhouses
import { useFarms } from '../api/farms';
import { Polyhouses } from '../features/places/Polyhouses';
import { WaitingForFarm } from '../features/shell/WaitingForFarm';

export function Component() {
  const { current } = useFarms();
  return current ? (
    <Polyhouses key={current.id} farmId={current.id} role={current.role} />
  ) : (
    <WaitingForFarm />
  );
}
