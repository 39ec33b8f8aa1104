// Who may change the places of a farm and what is in them (the server decides; this keeps what it would refuse out of sight).
import type { Role } from '../../api/farms';

/** Polyhouses, zones, reservoirs; names and places of sensors and devices. */
export const mayWrite: Record<Role, boolean> = {
  OWNER: true,
  ADMIN: true,
  FARM_MANAGER: false,
  VIEWER: false,
};
