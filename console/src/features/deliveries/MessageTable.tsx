// A row a message: what it was for, to whom, how far it came and why not further.
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../i18n/format';
import { useWhen } from '../../i18n/when';
import { CardCell, CardRow, CardTable } from '../../ui/CardTable';
import { Empty } from '../../ui/Empty';
import { StatePill } from '../../ui/StatePill';
import classes from './Deliveries.module.css';
import { kindText, type Message, reasonText, receiverText, stateOf, wayText } from './words';

export function MessageTable({ messages }: { messages: readonly Message[] }) {
  const { t } = useTranslation();
  if (messages.length === 0) return <Empty>{t('deliveries.none')}</Empty>;
  const columns = [
    t('deliveries.what'),
    t('deliveries.whom'),
    t('deliveries.by'),
    t('deliveries.stands'),
    t('deliveries.when'),
  ];
  return (
    <CardTable className={classes['table']} columns={columns}>
      {messages.map((message) => (
        <Row key={message.id} message={message} />
      ))}
    </CardTable>
  );
}

function Row({ message }: { message: Message }) {
  const { t } = useTranslation();
  const format = useFormat();
  const when = useWhen();
  const { title, times, name, to, channel, answer, attempts, nextTryAt, changedAt, createdAt } = message;
  const { text, tone } = stateOf(message);
  const reason = reasonText(message);
  const receiver = receiverText[channel];
  return (
    <CardRow>
      <CardCell lead className={classes['what']}>
        <span>{title || t(kindText(message))}</span>
        {times > 1 && (
          <span className={classes['soft']}>
            {t('deliveries.times', { count: times, n: format.count(times) })}
          </span>
        )}
      </CardCell>
      <CardCell label={t('deliveries.whom')}>
        <span className={classes['lines']}>
          {name !== null && <span>{name}</span>}
          <span className={classes['soft']}>{receiver ? t(receiver) : to}</span>
        </span>
      </CardCell>
      <CardCell label={t('deliveries.by')}>{t(wayText[channel])}</CardCell>
      <CardCell label={t('deliveries.stands')}>
        <span className={classes['lines']}>
          <StatePill tone={tone} word={t(text)} />
          {reason && <span className={classes['soft']}>{t(reason)}</span>}
          {answer !== null && <code>{answer}</code>}
          {attempts > 1 && (
            <span className={classes['soft']}>
              {t('deliveries.attempts', { count: attempts, n: format.count(attempts) })}
            </span>
          )}
          {nextTryAt !== null && nextTryAt > createdAt && (
            <span className={classes['soft']}>{t('deliveries.next', { time: when(nextTryAt) })}</span>
          )}
        </span>
      </CardCell>
      <CardCell label={t('deliveries.when')}>
        <time dateTime={new Date(changedAt).toISOString()}>{when(changedAt)}</time>
      </CardCell>
    </CardRow>
  );
}
