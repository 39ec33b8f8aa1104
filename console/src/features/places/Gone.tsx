// The sensors and devices that their controllers no longer announce, to be removed for good.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useDomain } from '../../i18n/domain';
import { failureText } from '../../i18n/failure';
import { Banner } from '../../ui/Banner';
import { Panel } from '../../ui/Panel';
import classes from './Controllers.module.css';
import { registeredSensorsQuery, useRemoveThing } from './controllers';
import { devicesQuery } from './queries';

export function Gone({ farmId }: { farmId: string }) {
  const { t } = useTranslation();
  const domain = useDomain();
  const sensors = useQuery(registeredSensorsQuery(farmId)).data ?? [];
  const devices = useQuery(devicesQuery(farmId)).data ?? [];
  const remove = useRemoveThing(farmId);
  const gone = [
    ...sensors
      .filter((sensor) => sensor.gone)
      .map(({ id, name, type }) => ({ kind: 'sensor' as const, id, name: name || domain.quantity(type) })),
    ...devices.filter((device) => device.gone).map(({ id, name }) => ({ kind: 'device' as const, id, name })),
  ];
  if (gone.length === 0) return null;
  return (
    <Panel title={t('places.gone')} hint={t('places.goneHint')}>
      {remove.isError && <Banner tone="bad" text={failureText(t, remove.error, t('places.saveFailed'))} />}
      {/* biome-ignore lint/a11y/noRedundantRoles: drawn without bullets it loses its role otherwise */}
      <ul role="list" className={classes['list']}>
        {gone.map(({ kind, id, name }) => (
          <li key={`${kind} ${id}`} data-gone={id}>
            <div className={classes['about']}>
              <p className={classes['name']}>{name}</p>
              <p className={classes['state']}>
                <code>{id}</code>
              </p>
            </div>
            <Button
              variant="default"
              disabled={remove.isPending}
              aria-label={t('places.removeOf', { name })}
              onClick={() => {
                if (window.confirm(t('places.confirmRemoveGone', { name }))) remove.mutate({ kind, id });
              }}
            >
              {t('places.remove')}
            </Button>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
