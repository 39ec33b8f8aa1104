// What went out by each way in a month, and what that cost: the latest month in a line, all of them behind it.
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../i18n/format';
import { CardCell, CardRow, CardTable } from '../../ui/CardTable';
import classes from './Deliveries.module.css';
import { type Month, wayText } from './words';

/** The ways that have a price. */
const priced: readonly Month['channel'][] = ['SMS', 'WHATSAPP'];

export function Months({ months }: { months: readonly Month[] }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [latest] = months;
  if (!latest) return null;
  const columns = [t('deliveries.month'), t('deliveries.by'), t('deliveries.sent'), t('deliveries.cost')];
  return (
    <details className={classes['months'] ?? ''}>
      <summary>
        <strong>{t('deliveries.months')}</strong>
        <span>{inOneLine(months.filter(({ month }) => month === latest.month))}</span>
      </summary>
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
            <CardCell label={t('deliveries.cost')}>{costOf(channel, paise)}</CardCell>
          </CardRow>
        ))}
      </CardTable>
    </details>
  );

  function costOf(channel: Month['channel'], paise: number | null) {
    if (paise !== null) return format.paise(paise);
    return (
      <span className={classes['soft']}>{priced.includes(channel) ? t('deliveries.noPrice') : '–'}</span>
    );
  }

  function inOneLine(ways: readonly Month[]) {
    const count = ways.reduce((sum, { messages }) => sum + messages, 0);
    const known = ways.flatMap(({ paise }) => paise ?? []);
    const month = format.month(latest?.month ?? '');
    const messages = t('deliveries.messages', { count, n: format.count(count) });
    if (known.length === 0) return t('deliveries.spentNothing', { month, messages });
    const cost = format.paise(known.reduce((sum, paise) => sum + paise, 0));
    return t('deliveries.spent', { month, messages, cost });
  }
}
