// How the farm stands: the first thing that is said, in its colour over the whole top. One true sentence with the act that
// helps; below it what else is worth knowing. While it cannot be known, that is what is said.
import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import Go from '~icon/ArrowRight';
import { useMay } from '../../api/permissions';
import { devicesQuery, rulesQuery, summaryQuery } from '../../api/queries';
import { type FarmVerdict, pathOf, type Reason, useVerdict } from '../../api/verdict';
import { useFormat } from '../../i18n/format';
import { useVerdictWords } from '../../i18n/verdict';
import { Link } from '../../screen/Link';
import { VerdictMark } from '../../ui/VerdictMark';
import { type VerdictLook, verdictLooks } from '../../ui/verdict';
import { Hottest } from './Hottest';
import { consequences, placeOf, runningText, toDo, whatRuns } from './today';
import classes from './VerdictPanel.module.css';

interface Props {
  farmId: string;
  /** What stands above the sentence. */
  top?: ReactNode;
}

export function VerdictPanel({ farmId, top }: Props) {
  const { t } = useTranslation();
  const words = useVerdictWords();
  const judged = useVerdict(farmId);
  if (judged.state === 'asking') {
    return (
      <section className={classes['panel']} data-tone="none" aria-busy>
        <div className={classes['top']}>{top}</div>
        <p className={classes['hidden']} role="status">
          {t('verdict.checking')}
        </p>
        <Skeleton height={30} width="9rem" />
        <Skeleton height={56} width="80%" />
      </section>
    );
  }
  if (judged.state === 'lost') {
    const { since, last, lastAt } = judged;
    return (
      <Panel verdict="not_known" top={top}>
        <p className={classes['sentence']}>
          {since === undefined ? t('verdict.unasked') : t('verdict.lost', { time: words.instant(since) })}
        </p>
        {last && lastAt !== undefined && (
          <p>
            {t('verdict.was', {
              time: words.instant(lastAt),
              word: t(`verdict.word.${last.farm.verdict}`),
            })}
          </p>
        )}
      </Panel>
    );
  }
  const { verdict } = judged;
  const { reasons } = verdict.farm;
  const [worst] = reasons;
  return (
    <Panel verdict={verdict.farm.verdict} top={top}>
      {worst ? (
        <Worst verdict={verdict} worst={worst} />
      ) : verdict.farm.verdict === 'not_set_up' ? (
        <p className={classes['sentence']}>{t('verdict.notSetUpSentence')}</p>
      ) : (
        <Well farmId={farmId} houses={verdict.houses} />
      )}
    </Panel>
  );
}

function Panel({ verdict, top, children }: { verdict: VerdictLook; top: ReactNode; children: ReactNode }) {
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
      <div className={classes['top']}>
        <div className={classes['word']} role="status">
          <VerdictMark verdict={verdict} word={t(`verdict.word.${verdict}`)} large />
        </div>
        {top}
      </div>
      {children}
    </section>
  );
}

/** What runs, how hot it was, and whether anybody has something to do. */
function Well({ farmId, houses }: { farmId: string; houses: FarmVerdict['houses'] }) {
  const { t } = useTranslation();
  const format = useFormat();
  const devices = useQuery(devicesQuery(farmId)).data;
  const rules = useQuery(rulesQuery(farmId)).data;
  const summary = useQuery(summaryQuery(farmId));
  const late = summary.data?.overdueTasks;
  const what = devices ? runningText(t, format, whatRuns(devices, rules, houses)) : t('verdict.wellSentence');
  return (
    <>
      <p className={classes['sentence']}>{t('today.well', { what })}</p>
      <p className={classes['second']}>
        <Hottest farmId={farmId} />
        {summary.isPending && <span className={classes['coming']} />}
        {late === 0 && <span>{t('today.nobody')}</span>}
        {late !== undefined && late !== null && late > 0 && (
          <Link to="/tasks">{t('today.late', { count: late, value: format.count(late) })}</Link>
        )}
      </p>
    </>
  );
}

/** The worst reason with what follows from it, and the act that helps. */
function Worst({ verdict, worst }: { verdict: FarmVerdict; worst: Reason }) {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useVerdictWords();
  const may = useMay();
  const { reasons, more } = verdict.farm;
  const sentence = words.sentence(placeOf(verdict, worst, t('domain.place.farm')), worst);
  const { off } = consequences(reasons);
  const left = toDo(reasons).length + more;
  const [remedy] = may('devices:command') ? off : [];
  const to = pathOf(worst);
  const act = t(`verdict.act.${worst.act}`);
  return (
    <>
      <p className={classes['sentence']}>
        {off.length > 0
          ? t('today.notFollowed', {
              what: sentence,
              off: t('today.off', { devices: format.list(off.map(({ name }) => name)) }),
            })
          : sentence}
      </p>
      {left > 0 && (
        <p className={classes['second']}>
          <a href="#to-do">{t('today.others', { count: left, value: format.count(left) })}</a>
        </p>
      )}
      {to === undefined && <p className={classes['second']}>{act}</p>}
      {(to !== undefined || remedy) && (
        <div className={classes['acts']}>
          {remedy && (
            <Link
              className={classes['act']}
              data-first
              to={`/automation/manual?device=${encodeURIComponent(remedy.id)}`}
            >
              {t('today.turnOn', { device: remedy.name })}
            </Link>
          )}
          {to !== undefined && (
            <Link className={classes['act']} data-first={remedy ? undefined : true} to={to}>
              {act}
              <Go size={20} aria-hidden />
            </Link>
          )}
        </div>
      )}
    </>
  );
}
