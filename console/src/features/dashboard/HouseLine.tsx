// How a house's temperature went in the last 24 hours; asked for once the card is looked at.
import { VisuallyHidden } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useDomain } from '../../i18n/domain';
import { dayPath } from '../../screen/DayLink';
import { Link } from '../../screen/Link';
import { quantityColour } from '../../screen/quantity';
import { Sparkline } from '../../ui/Sparkline';
import classes from './houses.module.css';
import { houseLineQuery } from './queries';

/** So many steps without a reading are a gap. */
const GAP_STEPS = 2.5;

export function HouseLine({
  farmId,
  polyhouseId,
  name,
}: {
  farmId: string;
  polyhouseId: string;
  name: string;
}) {
  const { t } = useTranslation();
  const words = useDomain();
  const { ref, inViewport } = useInViewport<HTMLAnchorElement>();
  const { data } = useQuery({ ...houseLineQuery(farmId, polyhouseId), enabled: inViewport });
  const points = data?.quantities.find(({ type }) => type === 'temperature')?.points ?? [];
  const amount = (value: number) => words.glance('temperature', value);
  return (
    <Link ref={ref} className={classes['line']} to={dayPath({ type: 'polyhouse', polyhouseId })}>
      <VisuallyHidden>{t('house.history', { name })}</VisuallyHidden>
      {data && points.length > 0 && (
        <>
          <Sparkline
            points={points.map(({ at, mean }) => ({ at, value: mean }))}
            from={data.from}
            to={data.to}
            ink={quantityColour('temperature')}
            gap={data.stepSec * 1_000 * GAP_STEPS}
          />
          <small>
            {t('house.day', {
              low: amount(Math.min(...points.map(({ min }) => min))),
              high: amount(Math.max(...points.map(({ max }) => max))),
            })}
          </small>
        </>
      )}
      {data && points.length === 0 && <small>{t('house.noDay')}</small>}
    </Link>
  );
}
