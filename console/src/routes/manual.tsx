// /automation/manual: the devices, with the locks of each.
import type { FarmPageProps } from '../api/farms';
import { Control } from '../features/control/Control';
import { Locks } from '../features/stop/Locks';

export default function Manual({ farmId }: FarmPageProps) {
  return (
    <Control
      farmId={farmId}
      locks={(device, adding) => <Locks farmId={farmId} device={device} adding={adding} />}
    />
  );
}
