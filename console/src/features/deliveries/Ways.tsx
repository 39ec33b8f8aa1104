// Each way to people: whether it is connected, whether it works, and a message to oneself by it.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import Send from '~icon/Send';
import { api } from '../../api/client';
import { useWhen } from '../../i18n/when';
import { useAction } from '../../screen/useAction';
import { StatePill } from '../../ui/StatePill';
import { toast } from '../../ui/toast';
import classes from './Deliveries.module.css';
import { type Way, wayText } from './words';

interface Props {
  farmId: string;
  channels: readonly Way[];
  writes: boolean;
}

export function Ways({ farmId, channels, writes }: Props) {
  const { t } = useTranslation();
  const { run, busy } = useAction(farmId);
  const test = (channel: Way['channel']) =>
    run({
      failed: t('deliveries.testFailed'),
      onDone: () => toast('good', t('deliveries.tested'), t('form.close')),
      call: () =>
        api.POST('/api/farms/{farmId}/deliveries/test', {
          params: { path: { farmId } },
          body: { channel },
        }),
    });
  return (
    <ul className={classes['ways']} aria-label={t('deliveries.ways')}>
      {channels.map((way) => {
        const name = t(wayText[way.channel]);
        return (
          <li key={way.channel}>
            <strong>{name}</strong>
            <State way={way} />
            {writes && way.connected && (
              <Button
                variant="default"
                disabled={busy}
                leftSection={<Send size={18} aria-hidden />}
                aria-label={t('deliveries.testBy', { way: name })}
                onClick={() => test(way.channel)}
              >
                {t('deliveries.test')}
              </Button>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function State({ way: { connected, awaySince } }: { way: Way }) {
  const { t } = useTranslation();
  const when = useWhen();
  if (!connected) return <StatePill tone="quiet" word={t('deliveries.notConnected')} />;
  if (awaySince !== null)
    return <StatePill tone="warn" word={t('deliveries.awaySince', { time: when(awaySince) })} />;
  return <StatePill tone="good" live word={t('deliveries.connected')} />;
}
