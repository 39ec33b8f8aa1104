// /users
import { useFarms } from '../api/farms';
import { WaitingForFarm } from '../features/shell/WaitingForFarm';
import { Users } from '../features/users/Users';

export function Component() {
  const { current } = useFarms();
  return current ? <Users key={current.id} farmId={current.id} role={current.role} /> : <WaitingForFarm />;
}
