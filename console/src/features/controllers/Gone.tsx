// The sensors and devices that their controllers no longer announce, to be removed for good.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import { devicesQuery, registeredSensorsQuery } from '../../api/queries';
import { useDomain } from '../../i18n/domain';
import { useAction } from '../../screen/useAction';
import { Panel } from '../../ui/Panel';
import classes from './Gone.module.css';

export function Gone({ farmId }: { farmId: string }) {
  const { t } = useTranslation();
  const domain = useDomain();
  const sensors = useQuery(registeredSensorsQuery(farmId)).data ?? [];
  const devices = useQuery(devicesQuery(farmId)).data ?? [];
  const { ask, busy } = useAction(farmId);
  const gone = [
    ...sensors
      .filter((sensor) => sensor.gone)
      .map(({ id, name, type }) => ({ kind: 'sensor' as const, id, name: name || domain.quantity(type) })),
    ...devices.filter((device) => device.gone).map(({ id, name }) => ({ kind: 'device' as const, id, name })),
  ];
  if (gone.length === 0) return null;
  return (
    <Panel title={t('controllers.gone')} hint={t('controllers.goneHint')}>
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
              disabled={busy}
              aria-label={t('controllers.removeOf', { name })}
              onClick={() =>
                ask({
                  question: t('controllers.confirmRemoveGone', { name }),
                  yes: t('controllers.remove'),
                  failed: t('places.saveFailed'),
                  call: () =>
                    kind === 'sensor'
                      ? api.DELETE('/api/farms/{farmId}/sensors/{sensorId}', {
                          params: { path: { farmId, sensorId: id } },
                        })
                      : api.DELETE('/api/farms/{farmId}/devices/{deviceId}', {
                          params: { path: { farmId, deviceId: id } },
                        }),
                })
              }
            >
              {t('controllers.remove')}
            </Button>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
