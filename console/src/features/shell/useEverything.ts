// All that can be found in a farm: what may be added, pages, houses, devices, rules and people, each with where it is.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import House from '~icon/BuildingTunnel';
import Rule from '~icon/Robot';
import Person from '~icon/User';
import type { Farm } from '../../api/farms';
import { usersQuery } from '../../api/people';
import { may } from '../../api/permissions';
import { devicesQuery, polyhousesQuery, rulesQuery } from '../../api/queries';
import { useDomain } from '../../i18n/domain';
import { typeIcons } from '../../screen/device';
import { quickActions } from '../../screen/quick';
import type { Group } from './find';
import { leaves, type NavNode } from './tree';

export function useEverything(farm: Farm, tree: readonly NavNode[]): Group[] {
  const { t } = useTranslation();
  const words = useDomain();
  const polyhouses = useQuery(polyhousesQuery(farm.id)).data ?? [];
  const devices = useQuery(devicesQuery(farm.id)).data ?? [];
  const rules = useQuery(rulesQuery(farm.id)).data ?? [];
  const people = useQuery({ ...usersQuery(farm.id), enabled: may(farm, 'users:read') }).data ?? [];
  const named = (path: string, id: string) => `${path}=${encodeURIComponent(id)}`;
  return [
    {
      label: t('palette.add'),
      things: quickActions
        .filter(({ permission }) => may(farm, permission))
        .map(({ label, icon, to }) => ({ path: to, name: t(label), icon })),
    },
    {
      label: t('palette.pages'),
      things: leaves(tree).map(({ label, icon, to }) => ({ path: to, name: t(label), icon })),
    },
    {
      label: t('nav.polyhouses'),
      things: polyhouses.map(({ id, name, zones }) => ({
        path: named('/polyhouses?open', id),
        name,
        about: zones.map((zone) => zone.name).join(', '),
        icon: House,
      })),
    },
    {
      label: t('palette.devices'),
      things: devices.map(({ id, name, type, scope }) => ({
        path: named('/automation/manual?device', id),
        name,
        about: [words.device(type), words.placePath(scope, polyhouses)].join(' · '),
        icon: typeIcons[type],
      })),
    },
    {
      label: t('nav.rules'),
      things: rules.map(({ id, name }) => ({
        path: may(farm, 'rules:write') ? named('/automation/rules?edit', id) : '/automation/rules',
        name,
        icon: Rule,
      })),
    },
    {
      label: t('nav.users'),
      things: people.map(({ name, email, phone }) => ({
        path: '/users',
        name,
        about: [email, phone].filter(Boolean).join(' · '),
        icon: Person,
      })),
    },
  ];
}
