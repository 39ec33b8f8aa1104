// Where a crop stands, and what it wants there.
import { useTranslation } from 'react-i18next';
import { useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import type { Schemas } from './kind';
import classes from './Records.module.css';

export function Stage({ name, day, days, setpoints }: Schemas['CurrentStage']) {
  const { t } = useTranslation();
  const format = useFormat();
  const { quantity, amount } = useDomain();
  const wanted = setpoints.map(({ sensorType, min, max }) =>
    t('stages.range', {
      name: quantity(sensorType),
      min: format.reading(min),
      max: amount(sensorType, max),
    }),
  );
  return (
    <div>
      <div>{t('cycles.stageDay', { name, day: format.count(day), days: format.count(days) })}</div>
      {wanted.map((range) => (
        <div key={range} className={classes['soft']}>
          {range}
        </div>
      ))}
    </div>
  );
}
