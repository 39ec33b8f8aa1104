// /automation/manual
import { useFarms } from '../api/farms';
import { Control } from '../features/control/Control';
import { WaitingForFarm } from '../features/shell/WaitingForFarm';
import { Locks } from '../features/stop/Locks';

export function Component() {
  const { current } = useFarms();
  if (!current) return <WaitingForFarm />;
  const { id, role } = current;
  return (
    <Control
      key={id}
      farmId={id}
      role={role}
      locks={(device, adding) => <Locks farmId={id} role={role} device={device} adding={adding} />}
    />
  );
}
