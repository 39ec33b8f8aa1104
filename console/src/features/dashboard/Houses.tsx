// A card for each house, the worst first.
import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { cropCyclesQuery } from '../../api/crops';
import { devicesQuery, latestTelemetryQuery, polyhousesQuery, rulesQuery } from '../../api/queries';
import { type FarmVerdict, useVerdict } from '../../api/verdict';
import { failedPart } from '../../i18n/failure';
import { useVerdictWords } from '../../i18n/verdict';
import { AsOf } from '../../ui/AsOf';
import { Banner } from '../../ui/Banner';
import { HouseCard } from './HouseCard';
import { houseReadings, type Told, worstFirst } from './houses';
import classes from './houses.module.css';

export function Houses({ farmId }: { farmId: string }) {
  const { t } = useTranslation();
  const judged = useVerdict(farmId);
  const telemetry = useQuery({ ...latestTelemetryQuery(farmId), select: houseReadings });
  const devices = useQuery(devicesQuery(farmId));
  const polyhouses = useQuery(polyhousesQuery(farmId));
  const cycles = useQuery(cropCyclesQuery(farmId));
  const rules = useQuery(rulesQuery(farmId));
  const { asOf } = useVerdictWords();
  const houses: FarmVerdict['houses'] =
    judged.state === 'known'
      ? judged.verdict.houses
      : judged.state === 'lost'
        ? (judged.last?.houses ?? [])
        : [];
  const isLoading = judged.state === 'asking' || telemetry.isPending || devices.isPending;
  // The same for the cards until something of it changes.
  const told = useMemo<Told>(
    () => ({
      sensors: telemetry.data?.sensors ?? [],
      devices: devices.data ?? [],
      polyhouses: polyhouses.data,
      cycles: cycles.data,
    }),
    [telemetry.data?.sensors, devices.data, polyhouses.data, cycles.data],
  );
  if (!isLoading && houses.length === 0) return null;
  const old = [telemetry, devices].find(({ isError, data }) => isError && data);
  return (
    <section className={classes['houses']} aria-labelledby="houses-title" aria-busy={isLoading}>
      <h2 id="houses-title" className={classes['title']}>
        {t('verdict.houses')}
      </h2>
      {devices.isError && !devices.data && <Banner {...failedPart(t, devices, t('control.failed'))} />}
      {isLoading ? (
        <div className={classes['cards']} aria-hidden>
          <Skeleton height={268} radius="lg" />
          <Skeleton height={268} radius="lg" />
        </div>
      ) : (
        <AsOf value={old && asOf(old)}>
          {/* biome-ignore lint/a11y/noRedundantRoles: drawn without bullets it loses its role otherwise */}
          <ul role="list" className={classes['cards']}>
            {worstFirst(houses).map((house) => (
              <HouseCard
                key={house.polyhouseId}
                farmId={farmId}
                house={house}
                isKnown={judged.state === 'known'}
                told={told}
                means={telemetry.data?.houses[house.polyhouseId]}
                rules={rules.data}
              />
            ))}
          </ul>
        </AsOf>
      )}
    </section>
  );
}
