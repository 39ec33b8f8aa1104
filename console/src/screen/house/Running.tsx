// What runs in a house, what has it and until when, in a line; a tap on it tells why, whole. After that what is known to come.
import { UnstyledButton } from '@mantine/core';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import Fold from '~icon/ChevronDown';
import Clock from '~icon/Clock';
import Control from '~icon/HandClick';
import Next from '~icon/Hourglass';
import { useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { useVerdictWords } from '../../i18n/verdict';
import { DeviceIcon } from '../../ui/icons/DeviceIcon';
import { later } from '../../ui/later';
import { Countdown } from '../Countdown';
import { type Device, holderOf, looksOf, reportedOf, runs } from '../device';
import { Link } from '../Link';
import type { Rule } from '../place';
import { WhyLine } from '../WhyLine';
import classes from './Running.module.css';
import { alike, isUnknown, nextOf } from './running';

const Why = later(async () => (await import('../Why')).Why);

interface Props {
  farmId: string;
  devices: readonly Device[];
  rules: readonly Rule[] | undefined;
}

export function Running({ farmId, devices, rules }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const verdictWords = useVerdictWords();
  const running = alike(devices.filter(runs));
  const unknown = devices.filter(isUnknown).length;
  const next = nextOf(rules ?? [], devices);
  return (
    <ul className={classes['running']} aria-label={t('house.devices')}>
      {running.map((group) => (
        <RunningRow key={group[0].id} farmId={farmId} group={group} rules={rules} />
      ))}
      {running.length === 0 && unknown === 0 && <li>{t('house.atRest')}</li>}
      {unknown > 0 && <li>{t('house.unknown', { count: unknown, value: format.count(unknown) })}</li>}
      {next && (
        <li className={classes['next']}>
          {next.by === 'clock' ? <Clock size={20} aria-hidden /> : <Next size={20} aria-hidden />}
          {t(next.by === 'clock' ? 'house.starts' : 'house.next', {
            rule: next.rule.name,
            time: next.by === 'clock' ? verdictWords.instant(next.at) : format.clock(new Date(next.at)),
          })}
        </li>
      )}
    </ul>
  );
}

interface RowProps {
  farmId: string;
  /** Devices that do the same for the same reason. */
  group: readonly [Device, ...Device[]];
  rules: readonly Rule[] | undefined;
}

function RunningRow({ farmId, group, rules }: RowProps) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const panel = useId();
  const [open, setOpen] = useState(false);
  const [device] = group;
  const names = format.list(group.map(({ name }) => name));
  const reported = reportedOf(device);
  const holder = holderOf(device);
  return (
    <li data-running={device.id} data-manual={device.state.mode === 'manual' || undefined}>
      <UnstyledButton
        className={classes['runs'] ?? ''}
        aria-expanded={open}
        aria-controls={panel}
        onClick={() => setOpen(!open)}
      >
        <DeviceIcon {...looksOf(device)} size={36} />
        <span>
          {names}{' '}
          <strong>
            {reported.is === 'value' ? words.actionAmount(reported.action, reported.value) : t('control.on')}
          </strong>
          <small>
            <WhyLine farmId={farmId} device={device} rules={rules} />
          </small>
        </span>
        {holder.by === 'person' && holder.until !== null && <Countdown until={holder.until} />}
        <Fold className={classes['fold']} size={20} aria-hidden />
      </UnstyledButton>
      {/* Named by its button also while there is nothing in it. */}
      <div id={panel} className={classes['whole']} hidden={!open}>
        {open && (
          <>
            <Why farmId={farmId} device={device} />
            {group.map(({ id, name }) => (
              <Link
                key={id}
                className={classes['control']}
                to={`/automation/manual?device=${encodeURIComponent(id)}`}
                aria-label={`${t('why.open')}: ${name}`}
              >
                <Control size={20} aria-hidden />
                {group.length > 1 ? name : t('why.open')}
              </Link>
            ))}
          </>
        )}
      </div>
    </li>
  );
}
