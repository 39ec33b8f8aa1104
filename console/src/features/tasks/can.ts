// Who may write tasks (the server decides; this only keeps what it would refuse out of sight).
import type { Role } from '../../api/farms';

/** Create, edit, move and delete tasks. Viewers read them. */
export const mayWrite: Record<Role, boolean> = {
  OWNER: true,
  ADMIN: true,
  FARM_MANAGER: true,
  VIEWER: false,
};
