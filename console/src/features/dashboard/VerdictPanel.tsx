// How the farm stands: the first thing that is said. One word, the worst reasons as sentences, and the act that helps. While
// it cannot be known, that is what is said.
import { Skeleton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import Go from '~icon/ArrowRight';
import { type FarmVerdict, pathOf, type Reason, useVerdict } from '../../api/verdict';
import { useFormat } from '../../i18n/format';
import { useVerdictWords } from '../../i18n/verdict';
import { VerdictMark } from '../../ui/VerdictMark';
import { type VerdictLook, verdictLooks } from '../../ui/verdict';
import classes from './VerdictPanel.module.css';

/** How many reasons stand on the first screen; the others are counted. */
const SHOWN = 4;

export function VerdictPanel({ farmId }: { farmId: string }) {
  const { t } = useTranslation();
  const words = useVerdictWords();
  const judged = useVerdict(farmId);
  if (judged.state === 'asking') {
    return (
      <section className={classes['panel']} data-tone="none" aria-busy>
        <p className={classes['hidden']} role="status">
          {t('verdict.checking')}
        </p>
        <Skeleton height={30} width="9rem" />
        <Skeleton height={22} width="80%" />
      </section>
    );
  }
  if (judged.state === 'lost') {
    const { since, last, lastAt } = judged;
    return (
      <Panel verdict="not_known">
        <p className={classes['sentence']}>
          {since === undefined ? t('verdict.unasked') : t('verdict.lost', { time: words.instant(since) })}
        </p>
        {last && lastAt !== undefined && (
          <p className={classes['soft']}>
            {t('verdict.was', {
              time: words.instant(lastAt),
              word: t(`verdict.word.${last.farm.verdict}`),
            })}
          </p>
        )}
      </Panel>
    );
  }
  const { farm } = judged.verdict;
  const [worst, ...others] = farm.reasons;
  return (
    <Panel verdict={farm.verdict}>
      {worst ? (
        <Worst reason={worst} place={placeOf(judged.verdict, worst, t('domain.place.farm'))} />
      ) : (
        <p className={classes['sentence']}>
          {t(farm.verdict === 'not_set_up' ? 'verdict.notSetUpSentence' : 'verdict.wellSentence')}
        </p>
      )}
      <Others verdict={judged.verdict} others={others} more={farm.more} />
    </Panel>
  );
}

function Panel({ verdict, children }: { verdict: VerdictLook; children: React.ReactNode }) {
  const { t } = useTranslation();
  return (
    <section
      className={classes['panel']}
      data-tone={verdictLooks[verdict].tone}
      data-farm-verdict={verdict}
      aria-labelledby="verdict-title"
    >
      <h2 id="verdict-title" className={classes['hidden']}>
        {t('verdict.title')}
      </h2>
      <div className={classes['word']} role="status">
        <VerdictMark verdict={verdict} word={t(`verdict.word.${verdict}`)} large />
      </div>
      {children}
    </section>
  );
}

function Worst({ reason, place }: { reason: Reason; place: string }) {
  const { t } = useTranslation();
  const words = useVerdictWords();
  const to = pathOf(reason);
  const act = t(`verdict.act.${reason.act}`);
  return (
    <>
      <p className={classes['sentence']}>{words.sentence(place, reason)}</p>
      {to === undefined ? (
        <p className={classes['soft']}>{act}</p>
      ) : (
        <Link className={classes['act']} to={to}>
          {act}
          <Go size={20} aria-hidden />
        </Link>
      )}
    </>
  );
}

function Others({
  verdict,
  others,
  more,
}: {
  verdict: FarmVerdict;
  others: readonly Reason[];
  more: number;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useVerdictWords();
  const shown = others.slice(0, SHOWN - 1);
  const left = others.length - shown.length + more;
  if (shown.length === 0) return null;
  return (
    <ul className={classes['others']}>
      {shown.map((reason) => {
        const text = words.sentence(placeOf(verdict, reason, t('domain.place.farm')), reason);
        const to = pathOf(reason);
        return <li key={text}>{to === undefined ? text : <Link to={to}>{text}</Link>}</li>;
      })}
      {left > 0 && <li>{t('verdict.more', { count: left, value: format.count(left) })}</li>}
    </ul>
  );
}

function placeOf(verdict: FarmVerdict, { polyhouseId }: Reason, farm: string): string {
  return verdict.houses.find((house) => house.polyhouseId === polyhouseId)?.name ?? farm;
}
