// How what decides in a house went in the last 24 hours, a line each; asked for once the card is looked at. A tap opens its day.
import { VisuallyHidden } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import Go from '~icon/ChevronRight';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import { type SensorTypeName, useDomain } from '../../i18n/domain';
import { Sparkline } from '../../ui/Sparkline';
import { dayPath } from '../DayLink';
import { Link } from '../Link';
import { quantityColour } from '../quantity';
import classes from './HouseLine.module.css';

/** So many steps without a reading are a gap. */
const GAP_STEPS = 2.5;
const RELOAD_MS = 300_000;

function houseLineQuery(farmId: string, polyhouse: string, types: readonly SensorTypeName[]) {
  return queryOptions({
    queryKey: [...keys.history(farmId), 'house', polyhouse, ...types],
    queryFn: () =>
      answer(
        api.GET('/api/farms/{farmId}/history', {
          params: { path: { farmId }, query: { polyhouse, types: types.join(',') } },
        }),
      ),
    refetchInterval: RELOAD_MS,
    staleTime: RELOAD_MS / 2,
  });
}

interface Props {
  farmId: string;
  polyhouseId: string;
  name: string;
  /** What is measured there of what decides. */
  types: readonly SensorTypeName[];
}

export function HouseLine({ farmId, polyhouseId, name, types }: Props) {
  const { t } = useTranslation();
  const words = useDomain();
  const { ref, inViewport } = useInViewport<HTMLAnchorElement>();
  const { data } = useQuery({ ...houseLineQuery(farmId, polyhouseId, types), enabled: inViewport });
  return (
    <Link ref={ref} className={classes['lines']} to={dayPath({ type: 'polyhouse', polyhouseId })}>
      <span className={classes['title']}>
        <VisuallyHidden>{t('house.history', { name })}</VisuallyHidden>
        <span aria-hidden>{t('house.day')}</span>
        <Go size={18} aria-hidden />
      </span>
      {types.map((type) => {
        const points = data?.quantities.find((quantity) => quantity.type === type)?.points ?? [];
        const amount = (value: number) => words.glance(type, value);
        return (
          <span key={type} className={classes['line']}>
            {data && points.length > 0 && (
              <Sparkline
                points={points.map(({ at, mean }) => ({ at, value: mean }))}
                from={data.from}
                to={data.to}
                ink={quantityColour(type)}
                gap={data.stepSec * 1_000 * GAP_STEPS}
              />
            )}
            <small>
              {words.quantity(type)}{' '}
              {points.length > 0 ? (
                <span>
                  {t('house.range', {
                    low: amount(Math.min(...points.map(({ min }) => min))),
                    high: amount(Math.max(...points.map(({ max }) => max))),
                  })}
                </span>
              ) : (
                data && <span>{t('house.noDay')}</span>
              )}
            </small>
          </span>
        );
      })}
    </Link>
  );
}
