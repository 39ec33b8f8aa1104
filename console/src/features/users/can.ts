// Who may see and change the people of a farm (the server holds to it).
import type { Role } from '../../api/farms';

export const people: Record<Role, { list: boolean; manage: boolean }> = {
  OWNER: { list: true, manage: true },
  ADMIN: { list: true, manage: true },
  FARM_MANAGER: { list: true, manage: false },
  VIEWER: { list: false, manage: false },
};
