// What the caller may do in a farm, as the server says: this keeps what it would refuse out of sight.
import { type Farm, useFarms } from './farms';

export type Permission = Farm['permissions'][number];

/** Whether the caller may do something in a farm; nothing where none is chosen yet. */
export function may(farm: Farm | undefined, permission: Permission): boolean {
  return farm?.permissions.includes(permission) ?? false;
}

/** The same of the chosen farm. */
export function useMay(): (permission: Permission) => boolean {
  const { current } = useFarms();
  return (permission) => may(current, permission);
}
