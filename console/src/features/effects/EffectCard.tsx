// One device: whether its latest runs worked, in which signal that shows, and the way to its runs.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { components } from '../../api/schema';
import { type PlaceNames, type SensorTypeName, useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { useWhen } from '../../i18n/when';
import { useEffectWords } from '../../screen/effects/useEffectWords';
import { Link } from '../../screen/Link';
import { StatePill } from '../../ui/StatePill';
import classes from './Effects.module.css';
import type { DeviceEffect } from './queries';

interface Props {
  effect: DeviceEffect;
  device: components['schemas']['Device'];
  polyhouses: PlaceNames;
  writes: boolean;
  onEdit: () => void;
}

export function EffectCard({ effect, device, polyhouses, writes, onEdit }: Props) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const when = useWhen();
  const { numbers } = useEffectWords();
  const { failing, told, worked, setting, expected } = effect;
  return (
    <li className={classes['card']} data-effect={device.id}>
      <h2>{device.name}</h2>
      <p className={classes['soft']}>{words.placePath(device.scope, polyhouses)}</p>
      <p>{pill()}</p>
      {told > 0 && !setting.off && (
        <p>{t('effects.workedOf', { worked: format.count(worked), told: format.count(told) })}</p>
      )}
      {failing && (
        <p>
          {t('effects.failingHint', { time: when(failing.since), runs: format.count(failing.runs) })}{' '}
          {failing.numbers && numbers(failing.numbers)}
        </p>
      )}
      {expected.length > 0 && (
        <p className={classes['soft']}>
          {t('effects.shows', {
            signals: expected
              .map(
                ({ signal, window_min }) =>
                  `${words.quantity(signal as SensorTypeName)} (${t('effects.within', { minutes: words.duration(window_min * 60) })})`,
              )
              .join(', '),
          })}
        </p>
      )}
      <p className={classes['acts']}>
        <Link to={`/history?device=${encodeURIComponent(device.id)}`}>{t('effects.history')}</Link>
        {writes && (
          <Button variant="default" onClick={onEdit} aria-label={`${t('effects.set')}: ${device.name}`}>
            {t('effects.set')}
          </Button>
        )}
      </p>
    </li>
  );

  function pill() {
    if (setting.off) return <StatePill tone="quiet" word={t('effects.offWord')} />;
    if (failing) return <StatePill tone="bad" word={t('effects.failing')} />;
    if (expected.length === 0) return <StatePill tone="quiet" word={t('effects.noSensor')} />;
    if (told === 0) return <StatePill tone="quiet" word={t('effects.notYet')} />;
    return (
      <StatePill
        tone={worked > 0 ? 'good' : 'warn'}
        word={t(worked > 0 ? 'effects.fine' : 'effects.unsure')}
      />
    );
  }
}
