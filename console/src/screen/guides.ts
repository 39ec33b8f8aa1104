// Who is guided through a farm's first hour.
import { type Permission, useMay } from '../api/permissions';

/** What its steps take. */
const steps: readonly Permission[] = ['places:write', 'controllers:write', 'assets:write', 'rules:write'];

/** Whether the person may do all of its steps: nobody else is asked to. */
export function useIsGuide(): boolean {
  const may = useMay();
  return steps.every((permission) => may(permission));
}
