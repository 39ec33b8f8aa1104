// What went out by each way in a month, and what that cost.
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../i18n/format';
import { CardCell, CardRow, CardTable } from '../../ui/CardTable';
import classes from './Deliveries.module.css';
import { type Month, wayText } from './words';

export function Months({ months }: { months: readonly Month[] }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (months.length === 0) return null;
  const columns = [t('deliveries.month'), t('deliveries.by'), t('deliveries.sent'), t('deliveries.cost')];
  return (
    <section aria-labelledby="months">
      <h2 id="months">{t('deliveries.months')}</h2>
      <CardTable columns={columns}>
        {months.map(({ month, channel, messages, units, paise }) => (
          <CardRow key={`${month} ${channel}`}>
            <CardCell lead>{format.month(month)}</CardCell>
            <CardCell label={t('deliveries.by')}>{t(wayText[channel])}</CardCell>
            <CardCell label={t('deliveries.sent')}>
              <span className={classes['lines']}>
                <span>{format.count(messages)}</span>
                {units > messages && (
                  <span className={classes['soft']}>
                    {t('deliveries.parts', { count: units, n: format.count(units) })}
                  </span>
                )}
              </span>
            </CardCell>
            <CardCell label={t('deliveries.cost')}>
              {paise === null ? (
                <span className={classes['soft']}>{t('deliveries.noPrice')}</span>
              ) : (
                format.paise(paise)
              )}
            </CardCell>
          </CardRow>
        ))}
      </CardTable>
    </section>
  );
}
