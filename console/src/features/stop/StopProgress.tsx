// What became of a stop, device by device. Until a device has confirmed that it is off it says so, and what to do.
import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import Bad from '~icon/AlertTriangle';
import Good from '~icon/CircleCheck';
import { allConfirmed, type StopOrder, type StoppedDevice, stopAgain } from '../../api/stop';
import { useFormat } from '../../i18n/format';
import classes from './Stop.module.css';

/** What is told first when there is more than fits. */
const order: readonly StoppedDevice['state'][] = ['sent', 'unreachable', 'confirmed'];

export function StopProgress({ order: { id, ...rest } }: { order: StopOrder }) {
  const { t } = useTranslation();
  const format = useFormat();
  const told = { id, ...rest };
  const all = allConfirmed(told);
  const devices = [...told.devices].sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
  return (
    <div className={classes['progress']} data-stop-state={all ? 'confirmed' : told.state}>
      <div className={classes['verdict']} data-tone={all ? 'good' : 'bad'} role={all ? 'status' : 'alert'}>
        {all ? <Good size={30} aria-hidden /> : <Bad size={30} aria-hidden />}
        <div>
          <strong>{t(headline(told, all))}</strong>
          <p>{told.refusal ?? t(detail(told, all))}</p>
        </div>
      </div>
      {!all && (told.state === 'unanswered' || told.state === 'taken') && <Age at={told.at} />}
      {told.state === 'given_up' && (
        <Button size="lg" color="var(--h-bad)" onClick={() => stopAgain(id)}>
          {t('stop.again')}
        </Button>
      )}
      {devices.length > 0 && (
        <ul className={classes['devices']}>
          {devices.map(({ deviceId, name, state, leaseEnd }) => (
            <li key={deviceId} data-stopped={deviceId} data-state={state}>
              {state === 'confirmed' ? <Good size={22} aria-hidden /> : <Bad size={22} aria-hidden />}
              <span>
                <strong>{name}</strong>
                {state === 'unreachable' && leaseEnd !== null
                  ? t('stop.state.goesOn', { what: format.percent(leaseEnd) })
                  : t(`stop.state.${state}`)}
              </span>
            </li>
          ))}
        </ul>
      )}
      {told.state === 'taken' && told.devices.length === 0 && <p>{t('stop.nothingThere')}</p>}
    </div>
  );
}

function headline({ state, devices }: StopOrder, all: boolean) {
  if (all) return devices.length === 0 ? 'stop.taken' : 'stop.allOff';
  return state === 'refused' ? 'stop.refused' : 'stop.notConfirmed';
}

function detail({ state, tries }: StopOrder, all: boolean) {
  if (all) return 'stop.allOffHint';
  if (state === 'given_up') return 'stop.givenUp';
  if (state === 'unanswered') return tries > 1 ? 'stop.tryingAgain' : 'stop.sending';
  return 'stop.waiting';
}

/** How long ago it was asked for. */
function Age({ at }: { at: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <p className={classes['age']} role="timer">
      {t('stop.age', { time: format.stopwatch(Math.max(0, (now - at) / 1_000)) })}
    </p>
  );
}
