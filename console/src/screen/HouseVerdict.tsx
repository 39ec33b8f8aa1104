// How a polyhouse stands, on its card and its page: a word, and why.
import { useTranslation } from 'react-i18next';
import { type FarmVerdict, pathOf, useVerdict } from '../api/verdict';
import { useFormat } from '../i18n/format';
import { useVerdictWords } from '../i18n/verdict';
import { VerdictMark } from '../ui/VerdictMark';
import classes from './HouseVerdict.module.css';
import { Link } from './Link';

/** A house's part of the verdict; `lost` while it cannot be known. */
export type HouseVerdict = FarmVerdict['houses'][number] | 'lost';

/** Looks up how a house stands; undefined before the first answer. */
export function useHouseVerdicts(farmId: string): (polyhouseId: string) => HouseVerdict | undefined {
  const judged = useVerdict(farmId);
  return (polyhouseId) => {
    if (judged.state === 'asking') return undefined;
    const found =
      judged.state === 'known' && judged.verdict.houses.find((house) => house.polyhouseId === polyhouseId);
    return found || 'lost';
  };
}

export function HouseMark({ verdict }: { verdict: HouseVerdict | undefined }) {
  const { t } = useTranslation();
  if (!verdict) return null;
  const word = verdict === 'lost' ? 'not_known' : verdict.verdict;
  return <VerdictMark verdict={word} word={t(`verdict.word.${word}`)} />;
}

/** Its worst reason, or all that are listed. */
export function HouseReason({ verdict, all }: { verdict: HouseVerdict | undefined; all?: boolean }) {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useVerdictWords();
  if (!verdict || verdict === 'lost' || verdict.reasons.length === 0) return null;
  const shown = verdict.reasons.slice(0, all ? undefined : 1);
  const left = verdict.reasons.length - shown.length + verdict.more;
  return (
    <ul className={classes['reasons']}>
      {shown.map((reason) => {
        const text = words.sentenceThere(verdict.name, reason);
        const to = pathOf(reason);
        return <li key={text}>{to === undefined ? text : <Link to={to}>{text}</Link>}</li>;
      })}
      {left > 0 && <li>{t('verdict.more', { count: left, value: format.count(left) })}</li>}
    </ul>
  );
}
