// What each role may do on a farm. The server decides; this keeps what it would refuse out of sight.
import type { Role } from './farms';

const admins: readonly Role[] = ['OWNER', 'ADMIN'];
const managers: readonly Role[] = [...admins, 'FARM_MANAGER'];

const matrix = {
  /** Polyhouses, zones, reservoirs; names and places of sensors and devices; controllers. */
  'places:write': admins,
  /** How the controllers are. */
  'controllers:read': managers,
  'tasks:write': managers,
  /** What grows, what was picked, what is in the store. */
  'crops:write': managers,
  /** What was sold and spent, and what things cost. */
  'money:read': managers,
  'money:write': managers,
  'alerts:write': managers,
  /** Who is notified, not only how many. */
  'contacts:read': managers,
  'rules:write': managers,
  'devices:command': managers,
  /** Devices in safety mode, long overrides. */
  'devices:admin': admins,
  'users:read': managers,
  'users:write': admins,
} satisfies Record<string, readonly Role[]>;

export type Permission = keyof typeof matrix;

export function may(role: Role, permission: Permission): boolean {
  return matrix[permission].includes(role);
}
