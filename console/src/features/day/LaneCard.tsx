// What explains the instant that is read: why it was so, who else wanted it, and what would have had to change.
import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import Warn from '~icon/AlertTriangle';
import { useFormat } from '../../i18n/format';
import { Ladder, RuleWhy } from '../../screen/explained/parts';
import { deviceExplanationQuery, ruleExplanationQuery } from '../../screen/explained/queries';
import { Unfolding } from '../../screen/explained/Unfolding';
import day from './Day.module.css';
import { HouseCard } from './HouseCard';
import classes from './Lanes.module.css';
import { isDown, type Lanes, type Subject } from './lanes';
import { RunMark } from './RunMark';

/** So near to now it is now. */
const NOW_MS = 5_000;

interface Props {
  farmId: string;
  subject: Subject;
  lanes: Lanes | undefined;
  /** Where the line came to rest. */
  at: number;
}

export function LaneCard({ farmId, subject, lanes, at: asked }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const instant = Math.round(asked);
  // What is so now is asked as that: the server's clock may be behind.
  const at = useMemo(() => (instant > Date.now() - NOW_MS ? undefined : instant), [instant]);
  if (instant > Date.now() + NOW_MS) return <p className={day['note']}>{t('day.lanes.ahead')}</p>;
  return (
    <section className={day['panel']} data-card>
      <h2 className={classes['cardHead']}>
        {t('day.lanes.why')}
        <time dateTime={new Date(instant).toISOString()}>{format.exactTime(new Date(instant))}</time>
      </h2>
      {lanes && isDown(lanes, instant) && (
        <p className={classes['down']}>
          <Warn size={20} aria-hidden />
          {t('day.lanes.wasDown')}
        </p>
      )}
      {lanes && at !== undefined && at < lanes.exact_from ? (
        <p className={day['note']}>
          {t('day.lanes.before', { time: format.dayTime(new Date(lanes.exact_from)) })}
        </p>
      ) : subject.device !== undefined ? (
        <OfDevice farmId={farmId} deviceId={subject.device} lanes={lanes} at={at} instant={instant} />
      ) : subject.rule !== undefined ? (
        <OfRule farmId={farmId} ruleId={subject.rule} at={at} />
      ) : lanes ? (
        <HouseCard farmId={farmId} lanes={lanes} at={at} instant={instant} />
      ) : (
        <Loading />
      )}
    </section>
  );
}

function OfDevice({
  farmId,
  deviceId,
  lanes,
  at,
  instant,
}: {
  farmId: string;
  deviceId: string;
  lanes: Lanes | undefined;
  at: number | undefined;
  instant: number;
}) {
  const { t } = useTranslation();
  const found = useQuery(deviceExplanationQuery(farmId, deviceId, at));
  if (found.isPending) return <Loading />;
  const decides = found.data?.steps.find((step) => step.decides)?.rule;
  const rules = (lanes?.lanes ?? []).filter(({ kind, of }) => kind === 'phase' && of !== null);
  const winner = rules.find(({ of }) => of === decides);
  const runs = lanes?.lanes.find(({ kind }) => kind === 'effect');
  return (
    <>
      <Ladder farmId={farmId} deviceId={deviceId} {...(at !== undefined && { at })} />
      {lanes && runs && <RunMark lane={runs} lanes={lanes} at={instant} />}
      {winner?.of && (
        <>
          <h3 className={classes['rule']}>{t('day.lanes.rule', { name: winner.name })}</h3>
          <RuleWhy farmId={farmId} ruleId={winner.of} {...(at !== undefined && { at })} />
        </>
      )}
      {rules.map(
        ({ of, name }) =>
          of !== null &&
          of !== decides && (
            <Unfolding key={`${of} ${at}`} title={t('day.lanes.rule', { name })}>
              <RuleWhy farmId={farmId} ruleId={of} {...(at !== undefined && { at })} />
            </Unfolding>
          ),
      )}
    </>
  );
}

function OfRule({ farmId, ruleId, at }: { farmId: string; ruleId: string; at: number | undefined }) {
  const found = useQuery(ruleExplanationQuery(farmId, ruleId, at));
  return found.isPending ? (
    <Loading />
  ) : (
    <RuleWhy farmId={farmId} ruleId={ruleId} {...(at !== undefined && { at })} />
  );
}

function Loading() {
  const { t } = useTranslation();
  return (
    <>
      <p role="status" className={day['note']}>
        {t('app.loading')}
      </p>
      <Skeleton height={88} radius="md" aria-hidden />
    </>
  );
}
