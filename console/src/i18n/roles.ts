// What a role is called.
import type { ParseKeys } from 'i18next';
import { useTranslation } from 'react-i18next';

/** The roles, the mightiest first. */
export const roles = ['OWNER', 'ADMIN', 'FARM_MANAGER', 'VIEWER'] as const;
export type RoleName = (typeof roles)[number];

/** What new and invited people are unless somebody says otherwise. */
export const defaultRole: RoleName = 'FARM_MANAGER';

const names: Record<RoleName, ParseKeys> = {
  OWNER: 'role.OWNER',
  ADMIN: 'role.ADMIN',
  FARM_MANAGER: 'role.FARM_MANAGER',
  VIEWER: 'role.VIEWER',
};

/** The roles that somebody of this role may give (the server holds to it): admins make no other admins. */
export function rolesToGive(role: string | null | undefined): readonly RoleName[] {
  return role === 'OWNER' ? roles : roles.filter((name) => name !== 'OWNER' && name !== 'ADMIN');
}

/** Names a role; one that this console does not know is shown as it is, without underscores; none is a farm manager. */
export function useRoleName(): (role: string | null | undefined) => string {
  const { t } = useTranslation();
  return (role) => {
    if (!role) return t('role.FARM_MANAGER');
    return Object.hasOwn(names, role) ? t(names[role as RoleName]) : role.replaceAll('_', ' ');
  };
}
