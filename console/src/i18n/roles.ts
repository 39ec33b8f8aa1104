// What a role is called.
import type { ParseKeys } from 'i18next';
import { useTranslation } from 'react-i18next';

const names = {
  OWNER: 'role.OWNER',
  ADMIN: 'role.ADMIN',
  FARM_MANAGER: 'role.FARM_MANAGER',
  VIEWER: 'role.VIEWER',
  WORKER: 'role.WORKER',
} as const satisfies Record<string, ParseKeys>;
export type RoleName = keyof typeof names;

/** What each is called, by any name. */
export const roleTexts: Partial<Record<string, ParseKeys>> = names;

/** All roles, the mightiest first. */
export const roleNames = Object.keys(names) as RoleName[];

/** What new and invited people are unless somebody says otherwise. */
export const defaultRole: RoleName = 'FARM_MANAGER';

/** The roles to choose from, with the one that somebody has. */
export function withRole(given: readonly RoleName[], role: RoleName): readonly RoleName[] {
  return given.includes(role) ? given : [role, ...given];
}

/** Names a role; one that this console does not know is shown as it is, without underscores; none is a farm manager. */
export function useRoleName(): (role: string | null | undefined) => string {
  const { t } = useTranslation();
  return (role) => {
    if (!role) return t('role.FARM_MANAGER');
    return Object.hasOwn(names, role) ? t(names[role as RoleName]) : role.replaceAll('_', ' ');
  };
}
