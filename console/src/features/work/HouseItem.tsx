// One house of a worker's: how it stands and why, and what is measured in it.
import { useTranslation } from 'react-i18next';
import { useAgo } from '../../i18n/ago';
import { sensorTypes, useDomain } from '../../i18n/domain';
import { useVerdictWords } from '../../i18n/verdict';
import { VerdictMark } from '../../ui/VerdictMark';
import type { House } from './queries';
import classes from './work.module.css';

export function HouseItem({ house }: { house: House }) {
  const { t } = useTranslation();
  const verdicts = useVerdictWords();
  const words = useDomain();
  const ago = useAgo();
  // The page is asked for again every few seconds, and drawn with it.
  const now = Date.now();
  return (
    <li className={classes['item']} data-house={house.polyhouseId}>
      <div className={classes['head']}>
        <h3>{house.name}</h3>
        <VerdictMark verdict={house.verdict} word={t(`verdict.word.${house.verdict}`)} />
      </div>
      {house.reasons.map((reason) => {
        const text = verdicts.sentenceThere(house.name, reason);
        return <p key={text}>{text}</p>;
      })}
      <dl className={classes['values']}>
        {sensorTypes.map((type) => {
          const mean = house.latest[type];
          return (
            mean && (
              <div key={type}>
                <dt>{words.quantity(type)}</dt>
                <dd>{words.glance(type, mean.value)}</dd>
                <dd className={classes['age']}>{ago(mean.at, now)}</dd>
              </div>
            )
          );
        })}
      </dl>
    </li>
  );
}
