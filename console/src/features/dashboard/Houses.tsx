// A card for each house, the worst first.
import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { rulesQuery } from '../../api/queries';
import { type FarmVerdict, useVerdict } from '../../api/verdict';
import { failedPart } from '../../i18n/failure';
import { useHouses } from '../../screen/house';
import { AsOf } from '../../ui/AsOf';
import { Banner } from '../../ui/Banner';
import { HouseCard } from './HouseCard';
import { worstFirst } from './houses';
import classes from './houses.module.css';

export function Houses({ farmId }: { farmId: string }) {
  const { t } = useTranslation();
  const judged = useVerdict(farmId);
  const { telemetry, devices, told, means, asOf } = useHouses(farmId);
  const rules = useQuery(rulesQuery(farmId));
  const houses: FarmVerdict['houses'] =
    judged.state === 'known'
      ? judged.verdict.houses
      : judged.state === 'lost'
        ? (judged.last?.houses ?? [])
        : [];
  const isLoading = judged.state === 'asking' || telemetry.isPending || devices.isPending;
  if (!isLoading && houses.length === 0) return null;
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
        <AsOf value={asOf}>
          {/* biome-ignore lint/a11y/noRedundantRoles: drawn without bullets it loses its role otherwise */}
          <ul role="list" className={classes['cards']}>
            {worstFirst(houses).map((house) => (
              <HouseCard
                key={house.polyhouseId}
                farmId={farmId}
                house={house}
                isKnown={judged.state === 'known'}
                told={told}
                means={means[house.polyhouseId]}
                rules={rules.data}
              />
            ))}
          </ul>
        </AsOf>
      )}
    </section>
  );
}
