// Who may open which lock (the server decides; this keeps what it would refuse out of sight).
import { useMay } from '../../api/permissions';
import { useSession } from '../../api/session';
import type { DeviceLock } from './queries';

/** Whether the caller may open a person's stop or lock (that person may, and who runs the farm), and any lock. */
export function useOpening() {
  const may = useMay();
  const session = useSession();
  const me = session.state === 'authenticated' ? session.user.id : undefined;
  const personal = (person: string | undefined) =>
    may('locks:open') || (person !== undefined && person === me);
  const any = ({ kind, by }: DeviceLock) => {
    switch (kind) {
      // A controller's own is opened at the machine alone.
      case 'controller':
        return false;
      case 'stop':
      case 'person':
        return personal(by?.user_id);
      default:
        return may('locks:open_engine');
    }
  };
  return { me, personal, any };
}
