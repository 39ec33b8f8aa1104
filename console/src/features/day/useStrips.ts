// The strips of a house: its devices as they were, and rules, people and alerts as the log tells.
import { type UseQueryResult, useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { devicesQuery } from '../../api/queries';
import type { components } from '../../api/schema';
import { actionSpecs, type Place, type PlaceNames, useDomain } from '../../i18n/domain';
import { startedAt } from '../../screen/causes';
import { isWithin } from '../../screen/place';
import { dayLogQuery, devicesPastQuery, MOST_DEVICES } from './queries';
import { isAbout, type Strip, stripsOf } from './strips';
import type { Load, Window } from './window';

type Schemas = components['schemas'];

interface Strips {
  strips: Strip[];
  /** Since when the log is known. */
  since: number | undefined;
  queries: UseQueryResult<unknown>[];
}

export function useStrips(
  farmId: string,
  place: Place,
  houses: PlaceNames,
  /** What is on screen, and what is loaded for it. */
  window: Window,
  load: Load,
  /** Whether it is their turn: the curves are loaded first. */
  enabled: boolean,
): Strips {
  const { t } = useTranslation();
  const words = useDomain();
  const all = useQuery({ ...devicesQuery(farmId), enabled });
  const devices = useMemo(
    () => (all.data ?? []).filter(({ scope, gone }) => !gone && isWithin(scope, place, houses)),
    [all.data, place, houses],
  );
  const isOn = enabled && load.strips;
  const ids = devices.map(({ id }) => id);
  const asked = Array.from({ length: Math.ceil(ids.length / MOST_DEVICES) }, (_, nth) =>
    ids.slice(nth * MOST_DEVICES, (nth + 1) * MOST_DEVICES),
  );
  const pasts = useQueries({
    queries: asked.map((some) => ({ ...devicesPastQuery(farmId, some, load), enabled: isOn })),
  });
  const pastOf = new Map(pasts.flatMap(({ data }) => data ?? []).map((past) => [past.device, past]));
  const log = useQuery({ ...dayLogQuery(farmId, window, load), enabled: isOn });

  const ofDevices = devices.map((device): Strip => {
    const past = pastOf.get(device.id);
    const valued = device.supportedActions.find(({ action }) => {
      const { unit } = actionSpecs[action];
      return unit === 'percent' || unit === 'flow';
    });
    const said = ({ on, value }: Schemas['DeviceSegment']) => {
      if (!on) return t('history.off');
      return valued && value !== null && value > 0
        ? words.actionAmount(valued.action, value)
        : t('history.on');
    };
    const why = ({ cause, by, at }: Schemas['DeviceSegment']) => {
      if (cause === 'rule') {
        const reading = startedAt(log.data?.items ?? [], device.id, at);
        return [
          t('history.cause.rule', { rule: by ?? '' }),
          reading && words.amount(reading.sensorType, reading.value),
        ]
          .filter(Boolean)
          .join(' · ');
      }
      return by ?? (cause === 'manual' ? t('history.cause.manual') : undefined);
    };
    return {
      kind: 'device',
      id: device.id,
      name: device.name,
      machine: device.type,
      known: past && load.strips ? { from: past.from, to: Math.min(past.to, Date.now()) } : null,
      stretches: (load.strips ? (past?.segments ?? []) : []).map((segment) => ({
        from: segment.at,
        // What goes on goes on until now, and not into what is to come.
        to: segment.until ?? Math.min(past?.to ?? segment.at, Date.now()),
        kind: segment.on ? 'on' : 'off',
        byHand: segment.cause === 'manual',
        // Found when it is asked for: of hundreds the one at the minute that is read.
        get text() {
          return [said(segment), segment.on && why(segment)].filter(Boolean).join(' · ');
        },
      })),
    };
  });
  const logged = useMemo(() => {
    if (!log.data || !load.strips) return [];
    const { items, since, to } = log.data;
    const mine = items.filter((entry) => isAbout(entry, place, houses));
    return stripsOf(mine, { from: since, to: Math.min(to, Date.now()) });
  }, [log.data, load, place, houses]);

  return {
    strips: [...ofDevices, ...logged],
    since: log.isPlaceholderData ? undefined : log.data?.since,
    queries: [all, ...pasts, log],
  };
}
