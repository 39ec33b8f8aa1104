// The hottest that it was today on the farm, and about when.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { hottestQuery } from './queries';
import { useMinute } from './time';
import classes from './VerdictPanel.module.css';

export function Hottest({ farmId }: { farmId: string }) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const from = format.dayStart(format.isoDay(useMinute()));
  const { data, isPending } = useQuery(hottestQuery(farmId, from));
  if (isPending) return <span className={classes['coming']} />;
  const points = data?.quantities.find(({ type }) => type === 'temperature')?.points ?? [];
  const [hottest] = points.toSorted((a, b) => b.max - a.max);
  if (!hottest) return null;
  return (
    <span>
      {t('today.hottest', {
        value: words.glance('temperature', hottest.max),
        time: format.clock(new Date(hottest.at)),
      })}
    </span>
  );
}
