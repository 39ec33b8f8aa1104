// The fields of a command and a button for each thing that the device can do. Its state lives as long as the device is
// chosen: another device starts with an empty form.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import {
  type ActionName,
  type Device,
  pulseRange,
  rangeOf,
  startValue,
  valueRange,
} from '../../screen/device';
import { ValueSlider } from '../../ui/ValueSlider';
import classes from './Control.module.css';
import { DEFAULT_MINUTES, MIN_MINUTES, maxMinutes } from './duration';
import { type CommandRequest, type CommandType, commandFor, commandTypes, wholeBetween } from './order';

/** The longest reason that the server keeps. */
const MAX_REASON = 500;
const DEFAULT_SECONDS = 5;
/** Lengths for a thumb. */
const MINUTES = [5, 10, 15, 30, 60];
const SECONDS = [5, 10, 30, 60];

interface Props {
  device: Device;
  admin: boolean;
  /** A command is on its way. */
  busy: boolean;
  onSend: (command: CommandRequest) => void;
}

export function CommandForm({ device, admin, busy, onSend }: Props) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const [type, setType] = useState<CommandType>('override');
  const range = valueRange(device);
  const [value, setValue] = useState(() => startValue(device));
  // A link may say for how long; whoever opens it decides.
  const [search] = useSearchParams();
  const [minutes, setMinutes] = useState(search.get('minutes') ?? String(DEFAULT_MINUTES));
  const pulse = pulseRange(device);
  const [seconds, setSeconds] = useState(String(DEFAULT_SECONDS));
  const [reason, setReason] = useState('');
  const [tried, setTried] = useState(false);

  const limits = type === 'pulse' && pulse ? pulse : { min: MIN_MINUTES, max: maxMinutes(admin) };
  const typed = type === 'pulse' ? seconds : minutes;
  const duration = wholeBetween(typed, limits.min, limits.max);
  const wrong = type !== 'release' && duration === undefined;

  const send = (action?: ActionName) => {
    setTried(true);
    if (wrong) return;
    onSend(
      commandFor(device.id, action, { type, value, minutes: duration ?? 0, seconds: duration ?? 0, reason }),
    );
  };

  const settings = device.supportedActions.filter(({ action }) => action !== 'pulse');
  return (
    <div className={classes['form']}>
      <NativeSelect
        label={t('control.type')}
        value={type}
        onChange={(event) => {
          setType(event.currentTarget.value as CommandType);
          setTried(false);
        }}
        data={commandTypes.map((each) => ({
          value: each,
          label: t(`control.${each}`),
          disabled: each === 'pulse' && !pulse,
        }))}
        {...(!pulse && { description: t('manual.noPulse') })}
        inputWrapperOrder={['label', 'input', 'description']}
      />
      {type === 'override' && range && (
        <ValueSlider
          label={t(range.unit === 'flow' ? 'control.flowValue' : 'control.value')}
          value={value}
          valueText={words.actionAmount(range.action, value)}
          min={range.min}
          max={range.max}
          step={range.step}
          lessLabel={t('control.less')}
          moreLabel={t('control.more')}
          onChange={setValue}
        />
      )}
      <TextInput
        label={t(type === 'pulse' ? 'control.seconds' : 'control.duration')}
        type="number"
        inputMode="numeric"
        min={limits.min}
        max={limits.max}
        step={1}
        value={typed}
        disabled={type === 'release'}
        onChange={(event) =>
          type === 'pulse' ? setSeconds(event.currentTarget.value) : setMinutes(event.currentTarget.value)
        }
        error={
          wrong &&
          (tried || typed !== '') &&
          [
            t('control.durationRange', { min: format.count(limits.min), max: format.count(limits.max) }),
            type === 'pulse' && t('manual.longer'),
          ]
            .filter(Boolean)
            .join('. ')
        }
      />
      {type !== 'release' && (
        // biome-ignore lint/a11y/useSemanticElements: buttons that belong together, not fields
        <div className={classes['chips']} role="group" aria-label={t('manual.quick')}>
          {(type === 'pulse' ? SECONDS : MINUTES)
            .filter((length) => length >= limits.min && length <= limits.max)
            .map((length) => (
              <button
                key={length}
                type="button"
                aria-pressed={duration === length}
                onClick={() => (type === 'pulse' ? setSeconds : setMinutes)(String(length))}
              >
                {t(type === 'pulse' ? 'manual.seconds' : 'manual.minutes', { number: format.count(length) })}
              </button>
            ))}
        </div>
      )}
      <TextInput
        label={t('control.reason')}
        description={t('control.reasonHint')}
        maxLength={MAX_REASON}
        autoComplete="off"
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      {/* biome-ignore lint/a11y/useSemanticElements: buttons that belong together, not fields */}
      <div className={classes['actions']} role="group" aria-label={t('control.form')}>
        {type === 'override' &&
          settings.map((supported) => {
            const { action } = supported;
            const own = rangeOf(supported);
            return (
              <Button
                key={action}
                size="lg"
                variant={action === 'off' ? 'default' : 'filled'}
                data-wide={own !== undefined}
                disabled={busy || wrong || (own !== undefined && (value < own.min || value > own.max))}
                onClick={() => send(action)}
              >
                {t(`control.action.${action}`, { value: words.actionAmount(action, value) })}
              </Button>
            );
          })}
        {type === 'pulse' && (
          <Button size="lg" disabled={busy || wrong} onClick={() => send()}>
            {t('control.action.pulse', { seconds: format.count(duration ?? 0) })}
          </Button>
        )}
        {type === 'release' && (
          <Button size="lg" disabled={busy} onClick={() => send()}>
            {t('control.action.release')}
          </Button>
        )}
      </div>
    </div>
  );
}
