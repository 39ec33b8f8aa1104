// Where a device stands with its limits: why it does not start, or does not stop, and how much of the day's amount and of the
// hour's starts is used.
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import Waits from '~icon/Hourglass';
import { useFormat } from '../../i18n/format';
import { useWhen } from '../../i18n/when';
import type { Device } from '../../screen/device';
import classes from './Limits.module.css';

/** The sentence of a device that is held. */
export function useHeldText(): (device: Device, devices: readonly Device[]) => string | undefined {
  const { t } = useTranslation();
  const format = useFormat();
  const when = useWhen();
  return ({ limits, limits_state: state }, devices) => {
    if (!state?.held) return undefined;
    const until = state.held_until === null ? undefined : when(state.held_until);
    const timed = (key: 'min_on' | 'min_off' | 'budget' | 'hours') =>
      until ? t(`limits.held.${key}Until`, { time: until }) : t(`limits.held.${key}`);
    switch (state.held) {
      case 'starts': {
        const most = limits?.starts_per_hour ?? state.starts;
        const [done, all] = [format.count(state.starts), format.count(most)];
        return until
          ? t('limits.held.startsUntil', { done, all, time: until })
          : t('limits.held.starts', { done, all });
      }
      case 'group': {
        const full = state.groups.filter(({ running, at_most }) => running >= at_most);
        const [group] = full.length > 0 ? full : state.groups;
        if (!group) return t('limits.held.groupUnknown');
        const [running, most] = [format.count(group.running), format.count(group.at_most)];
        return t('limits.held.group', { running, most, group: group.name });
      }
      case 'needs': {
        const named = devices.filter(({ id }) => limits?.needs?.any.includes(id)).map(({ name }) => name);
        return named.length > 0
          ? t('limits.held.needs', { devices: format.either(named) })
          : t('limits.held.needsUnknown');
      }
      case 'needed':
        return t('limits.held.needed');
      default:
        return timed(state.held);
    }
  };
}

interface Props {
  device: Device;
  devices: readonly Device[];
}

export function Held({ device, devices }: Props) {
  const text = useHeldText()(device, devices);
  return (
    text && (
      <p className={classes['held']} data-held={device.limits_state?.held}>
        <Waits size={18} aria-hidden />
        <span>{text}</span>
      </p>
    )
  );
}

/** How much of what is limited is used. */
export function Meters({ device: { limits, limits_state: state } }: { device: Device }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (!limits || !state) return null;
  const minutes = (seconds: number) => format.tenth(seconds / 60);
  return (
    <div className={classes['meters']}>
      {limits.ml_per_day != null && (
        <Meter
          used={state.used_ml}
          most={limits.ml_per_day}
          text={t('limits.usedMl', {
            used: format.tenth(state.used_ml),
            most: format.tenth(limits.ml_per_day),
          })}
        />
      )}
      {limits.sec_per_day != null && (
        <Meter
          used={state.used_sec}
          most={limits.sec_per_day}
          text={t('limits.usedMin', { used: minutes(state.used_sec), most: minutes(limits.sec_per_day) })}
        />
      )}
      {limits.starts_per_hour != null && (
        <Meter
          used={state.starts}
          most={limits.starts_per_hour}
          text={t('limits.usedStarts', {
            used: format.count(state.starts),
            most: format.count(limits.starts_per_hour),
          })}
        />
      )}
      {state.groups.map(({ id, name, running, at_most }) => (
        <Meter
          key={id}
          used={running}
          most={at_most}
          text={t('limits.usedGroup', {
            running: format.count(running),
            most: format.count(at_most),
            group: name,
          })}
        />
      ))}
    </div>
  );
}

function Meter({ used, most, text }: { used: number; most: number; text: string }) {
  const id = useId();
  const share = Math.min(1, used / most);
  return (
    <div className={classes['meter']} data-full={used >= most || undefined}>
      <span id={id} className={classes['said']}>
        {text}
      </span>
      <meter aria-labelledby={id} min={0} max={most} value={Math.min(used, most)} />
      <span className={classes['bar']} aria-hidden>
        <span className={classes['filled']} style={{ inlineSize: `${share * 100}%` }} />
      </span>
    </div>
  );
}
