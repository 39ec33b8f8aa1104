// Does it work: what each device's runs came to, and sensors that left their neighbours.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FarmPageProps } from '../../api/farms';
import { devicesQuery, polyhousesQuery, registeredSensorsQuery } from '../../api/queries';
import { type SensorTypeName, useDomain } from '../../i18n/domain';
import { QueryState } from '../../screen/QueryState';
import { CardList } from '../../ui/CardList';
import { Empty } from '../../ui/Empty';
import { PageLayout } from '../../ui/PageLayout';
import { Panel } from '../../ui/Panel';
import { EffectCard } from './EffectCard';
import { EffectForm } from './EffectForm';
import { effectsQuery, inOrder } from './queries';

const NONE: never[] = [];

export default function Effects({ farmId, writes }: FarmPageProps) {
  const { t } = useTranslation();
  const words = useDomain();
  const query = useQuery(effectsQuery(farmId));
  const devices = useQuery(devicesQuery(farmId)).data ?? NONE;
  const houses = useQuery(polyhousesQuery(farmId)).data ?? NONE;
  const sensors = useQuery(registeredSensorsQuery(farmId)).data ?? NONE;
  const [editId, setEditId] = useState<string>();
  const deviceOf = (id: string) => devices.find((device) => device.id === id);
  const edited = query.data?.devices.find((effect) => effect.device_id === editId);
  const drifts = (query.data?.drifts ?? NONE).flatMap((drift) => {
    const sensor = sensors.find(({ id }) => id === drift.sensor_id);
    const other = sensors.find(({ id }) => id === drift.or_other);
    const amount = (value: number) => words.amount(sensor?.type as SensorTypeName, Math.abs(value));
    if (!sensor) return [];
    const name = other ? t('effects.driftOr', { name: sensor.name, other: other.name }) : sensor.name;
    return [
      {
        id: sensor.id,
        name,
        text: t('effects.drift', { now: amount(drift.now), usual: amount(drift.usual) }),
      },
    ];
  });
  return (
    <PageLayout title={t('effects.title')} about={t('effects.about')} busy={query.isPending}>
      {drifts.length > 0 && (
        <Panel title={t('effects.drifts')}>
          <ul>
            {drifts.map(({ id, name, text }) => (
              <li key={id}>
                <b>{name}</b>: {text}
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {query.data?.devices.length === 0 && <Empty>{t('effects.none')}</Empty>}
      <QueryState query={query} failed={t('effects.failed')}>
        {({ devices: all }) => (
          <CardList>
            {inOrder(all).map((effect) => {
              const device = deviceOf(effect.device_id);
              return (
                device && (
                  <EffectCard
                    key={device.id}
                    effect={effect}
                    device={device}
                    polyhouses={houses}
                    writes={writes}
                    onEdit={() => setEditId(device.id)}
                  />
                )
              );
            })}
          </CardList>
        )}
      </QueryState>
      <EffectForm
        farmId={farmId}
        opened={writes && edited !== undefined}
        name={deviceOf(editId ?? '')?.name ?? ''}
        effect={edited}
        sensors={sensors}
        onClose={() => setEditId(undefined)}
      />
    </PageLayout>
  );
}
