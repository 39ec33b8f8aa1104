// What the run within which an instant lies came to: the word, why, and the numbers behind it.
import { useTranslation } from 'react-i18next';
import { useEffectWords } from '../../screen/effects/useEffectWords';
import { StatePill } from '../../ui/StatePill';
import classes from './Lanes.module.css';
import { type Lane, type Lanes, laneAt } from './lanes';

export function RunMark({ lane, lanes, at }: { lane: Lane; lanes: Lanes; at: number }) {
  const { t } = useTranslation();
  const words = useEffectWords();
  const span = laneAt(lane, lanes, at, { from: at, to: at + 1 });
  const effect = typeof span === 'string' ? null : span.effect;
  if (!effect) return null;
  const detail = words.detail(effect);
  return (
    <p className={classes['run']} data-run={effect.mark}>
      {t('day.lanes.run')}: <StatePill tone={words.tone(effect)} word={words.word(effect)} />{' '}
      {detail && <small>{detail}</small>}
    </p>
  );
}
