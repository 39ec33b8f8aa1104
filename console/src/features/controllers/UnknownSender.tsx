// Messages of a device that nobody reads yet: what they say, where their sensors are, and each number to be taken over.
import { NativeSelect } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { answer, api } from '../../api/client';
import { farmKey } from '../../api/keys';
import type { components } from '../../api/schema';
import { useAgo } from '../../i18n/ago';
import { type Place, type SensorTypeName, useDomain } from '../../i18n/domain';
import { failureText } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { Link } from '../../screen/Link';
import { allPlaces, placeKey } from '../../screen/place';
import { Banner } from '../../ui/Banner';
import { Panel } from '../../ui/Panel';
import classes from './Found.module.css';
import { UnknownNumber, type UnknownNumberOf } from './UnknownNumber';

export type UnknownSenderOf = components['schemas']['UnknownSender'];

/** A sensor that was taken over on this page. */
export interface Taken {
  id: string;
  type: SensorTypeName;
  place: Place;
}

interface Props {
  farmId: string;
  sender: UnknownSenderOf;
  controller: components['schemas']['Controller'] | undefined;
  polyhouses: readonly components['schemas']['Polyhouse'][];
  now: number;
  writes: boolean;
  onTaken: (sensors: Taken[]) => void;
}

export function UnknownSender({ farmId, sender, controller, polyhouses, now, writes, onTaken }: Props) {
  const { t } = useTranslation();
  const { count } = useFormat();
  const domain = useDomain();
  const ago = useAgo();
  const cache = useQueryClient();
  const house = controller?.polyhouseId;
  const [place, setPlace] = useState(
    placeKey(house ? { type: 'polyhouse', polyhouseId: house } : { type: 'farm' }),
  );
  const places = allPlaces(polyhouses);
  const { format, pattern, topics } = sender;

  const take = useMutation({
    mutationFn: async (taken: { number: UnknownNumberOf; type: SensorTypeName; unit: string }) => {
      const scope: Place = places.find((each) => placeKey(each) === place) ?? { type: 'farm' };
      const { number, type, unit } = taken;
      const { sensors } = await answer(
        api.POST('/api/farms/{farmId}/unknown-senders/take', {
          params: { path: { farmId } },
          body: {
            controller: sender.controller ?? '',
            pattern,
            topics,
            format: format ?? 'json',
            numbers: [
              {
                at: number.at,
                type,
                ...(unit !== '' && { unit }),
                ...(number.name && { name: number.name }),
              },
            ],
            scope,
          },
        }),
      );
      return sensors.map((id): Taken => ({ id, type, place: scope }));
    },
    onSuccess: onTaken,
    onSettled: () => cache.invalidateQueries({ queryKey: farmKey(farmId) }),
  });

  const title = sender.name ?? sender.model ?? pattern;
  const heard =
    sender.lastAt === null
      ? t('controllers.unknown.announcedOnly')
      : t('controllers.unknown.heard', {
          count: sender.count,
          value: count(sender.count),
          ago: ago(sender.lastAt, now),
        });
  const may = writes && sender.controller !== null && format !== null;
  return (
    <div data-unknown={pattern}>
      <Panel title={title} hint={[sender.name && sender.model, heard].filter(Boolean).join(' · ')}>
        <p className={classes['soft']}>
          {controller?.name ?? sender.controller} · <code>{pattern}</code>
        </p>
        {sender.numbers.length === 0 && <Banner tone="quiet" text={t('controllers.unknown.noNumbers')} />}
        {sender.numbers.length === 0 && (
          <p className={classes['next']}>
            <Link to="/automation/controllers/bench">{t('screen.controller.benchTitle')}</Link>
          </p>
        )}
        {may && sender.numbers.length > 0 && (
          <NativeSelect
            label={t('controllers.whereIsIt')}
            value={place}
            onChange={({ currentTarget }) => setPlace(currentTarget.value)}
            data={places.map((each) => ({
              value: placeKey(each),
              label: domain.placePath(each, polyhouses),
            }))}
          />
        )}
        {take.error && <Banner tone="bad" text={failureText(t, take.error, t('places.saveFailed'))} />}
        {/* biome-ignore lint/a11y/noRedundantRoles: drawn without bullets it loses its role otherwise */}
        <ul role="list" className={classes['list']}>
          {sender.numbers.map((number) => (
            <UnknownNumber
              key={number.at}
              number={number}
              busy={take.isPending && take.variables.number.at === number.at}
              onTake={may ? (type, unit) => take.mutate({ number, type, unit }) : undefined}
            />
          ))}
        </ul>
      </Panel>
    </div>
  );
}
