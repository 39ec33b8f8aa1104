// What each role may do with devices (the server decides; this keeps what it would refuse out of sight).
import type { Role } from '../../api/farms';

interface Powers {
  /** Send commands at all. */
  command: boolean;
  /** The admin flag: devices in safety mode, long overrides. */
  admin: boolean;
}

export const powers: Record<Role, Powers> = {
  OWNER: { command: true, admin: true },
  ADMIN: { command: true, admin: true },
  FARM_MANAGER: { command: true, admin: false },
  VIEWER: { command: false, admin: false },
};

export const MIN_MINUTES = 1;
export const DEFAULT_MINUTES = 30;

/** The longest override of a person, in minutes. */
export function maxMinutes(admin: boolean): number {
  return admin ? 999_999 : 60;
}
