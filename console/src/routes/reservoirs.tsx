// /reservoirs
import { useFarms } from '../api/farms';
import { Reservoirs } from '../features/places/Reservoirs';
import { WaitingForFarm } from '../features/shell/WaitingForFarm';

export function Component() {
  const { current } = useFarms();
  return current ? (
    <Reservoirs key={current.id} farmId={current.id} role={current.role} />
  ) : (
    <WaitingForFarm />
  );
}
