// Who may change rules (the server decides; this only keeps what it would refuse out of sight).
import type { Role } from '../../api/farms';

export const writesRules: Record<Role, boolean> = {
  OWNER: true,
  ADMIN: true,
  FARM_MANAGER: true,
  VIEWER: false,
};
