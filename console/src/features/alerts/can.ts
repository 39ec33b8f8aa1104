// What each role may do with alert rules.
import type { Role } from '../../api/farms';

/** Whether somebody of this role makes, changes and deletes alert rules. */
export const handlesAlerts: Record<Role, boolean> = {
  OWNER: true,
  ADMIN: true,
  FARM_MANAGER: true,
  VIEWER: false,
};

/** Whether they see who is told, not only how many. */
export const seesContacts: Record<Role, boolean> = {
  OWNER: true,
  ADMIN: true,
  FARM_MANAGER: true,
  VIEWER: false,
};
