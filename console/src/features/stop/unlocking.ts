// Who may open which lock (the server decides; this keeps what it would refuse out of sight).
import type { Role } from '../../api/farms';
import { may } from '../../api/permissions';
import type { DeviceLock } from './queries';

/** Whether a person's stop or lock may be opened: by that person, and by who runs the farm. */
export const mayOpenOf = (person: string | undefined, role: Role, me: string | undefined) =>
  may(role, 'devices:command') || (person !== undefined && person === me);

/** Whether somebody may open a lock here. A controller's own is opened at the machine alone. */
export function mayOpen(lock: DeviceLock, role: Role, me: string | undefined): boolean {
  switch (lock.kind) {
    case 'controller':
      return false;
    case 'stop':
    case 'person':
      return mayOpenOf(lock.by?.user_id, role, me);
    default:
      return may(role, 'devices:admin');
  }
}
