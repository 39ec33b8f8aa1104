// What the mark of a run says: the word, why, and the numbers behind it.
import { useTranslation } from 'react-i18next';
import type { components } from '../../api/schema';
import { type SensorTypeName, useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import type { Tone } from '../../ui/tone';

export type RunEffect = components['schemas']['RunEffect'];
type Numbers = components['schemas']['EffectNumbers'];

const tones: Readonly<Record<string, Tone>> = { worked: 'good', no_effect: 'bad', cannot_tell: 'quiet' };
const marks = ['worked', 'no_effect', 'cannot_tell'] as const;
const reasons = ['no_sensor', 'not_fresh', 'too_short', 'together', 'too_few', 'unlike', 'unseen'] as const;

export function useEffectWords() {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const numbers = ({ signal, change, usual, without, minutes, learned }: Numbers) =>
    t('effects.numbers', {
      signal: words.quantity(signal as SensorTypeName),
      change: words.amount(signal as SensorTypeName, change),
      usual: words.amount(signal as SensorTypeName, usual),
      without: words.amount(signal as SensorTypeName, without),
      minutes: words.duration(minutes * 60),
      learned: format.count(learned),
    });
  const word = (effect: RunEffect) => {
    const mark = marks.find((known) => known === effect.mark);
    return mark ? t(`effects.mark.${mark}`) : effect.mark;
  };
  const detail = (effect: RunEffect) => {
    const reason = reasons.find((known) => known === effect.reason);
    return [reason && t(`effects.reason.${reason}`), effect.numbers && numbers(effect.numbers)]
      .filter(Boolean)
      .join('; ');
  };
  const tone = (effect: RunEffect): Tone => tones[effect.mark] ?? 'quiet';
  return { word, detail, tone, numbers };
}
