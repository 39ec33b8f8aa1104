// What a role is called.
import type { ParseKeys } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { Role } from '../../api/farms';

const names: Record<Role, ParseKeys> = {
  OWNER: 'role.OWNER',
  ADMIN: 'role.ADMIN',
  FARM_MANAGER: 'role.FARM_MANAGER',
  VIEWER: 'role.VIEWER',
};

/** Names a role; one that this console does not know is shown as it is, without underscores; none is a farm manager. */
export function useRoleName(): (role: string | null | undefined) => string {
  const { t } = useTranslation();
  return (role) => {
    if (!role) return t('role.FARM_MANAGER');
    return Object.hasOwn(names, role) ? t(names[role as Role]) : role.replaceAll('_', ' ');
  };
}
