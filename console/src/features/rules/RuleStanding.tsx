// Where a rule stands at this moment: icon, word and colour, how far a hold has come, and what its sensors say.
import type { Icon } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ParseKeys } from 'i18next';
import { useTranslation } from 'react-i18next';
import Blocked from '~icon/Ban';
import Off from '~icon/CircleOff';
import Idle from '~icon/Eye';
import Blind from '~icon/EyeOff';
import DraftIcon from '~icon/FilePencil';
import Holding from '~icon/Hourglass';
import Running from '~icon/PlayerPlay';
import { conditionsQuery } from '../../api/queries';
import { type SensorTypeName, useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { useVerdictWords } from '../../i18n/verdict';
import { useWhen } from '../../i18n/when';
import { conditionOf } from '../../screen/trigger';
import type { Tone } from '../../ui/tone';
import type { FarmThings } from './farm';
import { isBlind } from './order';
import { type Standing, standingOf } from './phase';
import type { Rule, Sight, Sights } from './queries';
import classes from './RuleStanding.module.css';
import { useNow } from './time';

const looks: Record<Standing['kind'], { tone: Tone; icon: Icon }> = {
  draft: { tone: 'quiet', icon: DraftIcon },
  disabled: { tone: 'quiet', icon: Off },
  idle: { tone: 'quiet', icon: Idle },
  holding: { tone: 'warn', icon: Holding },
  running: { tone: 'active', icon: Running },
};

/** The state of a rule as a mark, with its word for who hears it. */
export function RuleMark({ rule, seen }: { rule: Rule; seen: Sights | undefined }) {
  const { t } = useTranslation();
  const { kind } = standingOf(rule, 0);
  const blind = isBlind(rule, seen ? [seen] : []);
  const look = blind ? { tone: 'warn' as const, icon: Blind } : looks[kind];
  return (
    <look.icon
      size={22}
      stroke={2}
      role="img"
      aria-label={t(blind ? 'rules.mark.blind' : `rules.mark.${kind}`)}
      className={classes['mark']}
      data-tone={look.tone}
      data-mark={blind ? 'blind' : kind}
    />
  );
}

export function RuleStanding({ rule, things }: { rule: Rule; things: FarmThings }) {
  const { t } = useTranslation();
  const moving = rule.status.phase === 'pending' || rule.status.phase === 'running';
  const now = useNow(moving);
  const seen = useQuery(conditionsQuery(things.farmId)).data?.find((each) => each.rule === rule.id);
  const trigger = conditionOf(rule.trigger);
  const stop = conditionOf(rule.stop_condition);
  const standing = standingOf(rule, now, seen?.stop?.holds ?? undefined);
  const blocked = standing.kind === 'holding' && standing.blocked;
  const active = standing.kind !== 'draft' && standing.kind !== 'disabled';
  // What it watches or what would end it: without either it does not act as it was written.
  const lost = active
    ? [
        { sight: seen?.trigger, type: trigger?.sensor_type },
        { sight: seen?.stop, type: stop?.sensor_type ?? trigger?.sensor_type },
      ].find(({ sight }) => sight?.value === null)
    : undefined;
  if (lost?.sight && lost.type)
    return <BlindStanding heardAt={lost.sight.readAt} type={lost.type} standing={standing} />;
  const look = blocked ? { tone: 'warn' as const, icon: Blocked } : looks[standing.kind];
  return (
    <div className={classes['standing']} data-phase={standing.kind} data-tone={look.tone}>
      <look.icon size={26} stroke={2} aria-hidden className={classes['icon']} />
      <div className={classes['what']}>
        <Words standing={standing} />
        {active && <Clock rule={rule} />}
        {seen?.trigger && trigger && <Now sight={seen.trigger} type={trigger.sensor_type} />}
        {seen?.parts.map(
          ({ sight, sensor_type: type }, at) =>
            // biome-ignore lint/suspicious/noArrayIndexKey: the comparisons of a tree have no identity but their order
            sight && <Now key={at} sight={sight} type={type} named />,
        )}
      </div>
      {standing.kind === 'holding' && <Progress {...standing} label={t('rules.phase.progress')} />}
      {standing.kind === 'running' && standing.ending && (
        <Progress {...standing.ending} label={t('rules.phase.endingProgress')} />
      )}
    </div>
  );
}

/** A rule that cannot see, in amber: it only looks calm. */
function BlindStanding({
  heardAt,
  type,
  standing,
}: {
  heardAt: number | null;
  type: SensorTypeName;
  standing: Standing;
}) {
  const { t } = useTranslation();
  const words = useVerdictWords();
  const quantity = t(`verdict.quantity.${type}`);
  return (
    <div className={classes['standing']} data-phase={standing.kind} data-tone="warn" data-blind>
      <Blind size={26} stroke={2} aria-hidden className={classes['icon']} />
      <div className={classes['what']}>
        <strong>
          {heardAt === null
            ? t('verdict.blind', { quantity })
            : t('verdict.blindSince', { quantity, time: words.instant(heardAt) })}
        </strong>
        {standing.kind === 'running' && <Words standing={standing} />}
      </div>
    </div>
  );
}

const plain: Partial<Record<Standing['kind'], ParseKeys>> = {
  draft: 'rules.phase.draft',
  disabled: 'rules.phase.disabled',
  idle: 'rules.phase.idle',
};

function Words({ standing }: { standing: Standing }) {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useDomain();
  switch (standing.kind) {
    case 'holding': {
      const { elapsed, total, samplesMissing, blocked } = standing;
      return (
        <>
          <strong>{t('rules.phase.holding', { progress: words.progress(elapsed, total) })}</strong>
          {samplesMissing > 0 && (
            <span>
              {t('rules.phase.samples', { count: samplesMissing, value: format.count(samplesMissing) })}
            </span>
          )}
          {blocked && <span>{t('rules.phase.blocked')}</span>}
        </>
      );
    }
    case 'running': {
      const { since, ending, patienceEndsAt } = standing;
      return (
        <>
          <strong>{t('rules.phase.running', { time: format.time(new Date(since)) })}</strong>
          {ending && (
            <span>{t('rules.phase.ending', { progress: words.progress(ending.elapsed, ending.total) })}</span>
          )}
          {patienceEndsAt !== undefined && (
            <span>{t('rules.phase.patience', { time: format.time(new Date(patienceEndsAt)) })}</span>
          )}
        </>
      );
    }
    default: {
      const key = plain[standing.kind];
      return key ? <strong>{t(key)}</strong> : null;
    }
  }
}

function Progress({ elapsed, total, label }: { elapsed: number; total: number; label: string }) {
  const words = useDomain();
  return (
    <div
      className={classes['bar']}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={Math.round(total)}
      aria-valuenow={Math.floor(elapsed)}
      aria-valuetext={words.progress(elapsed, total)}
    >
      <div style={{ inlineSize: `${total > 0 ? (elapsed / total) * 100 : 100}%` }} />
    </div>
  );
}

/** When the clock starts the rule next, or its run is over. */
function Clock({ rule: { run_until, next_start } }: { rule: Rule }) {
  const { t } = useTranslation();
  const when = useWhen();
  if (typeof run_until === 'number')
    return <span>{t('rules.program.until', { time: when(run_until) })}</span>;
  if (typeof next_start === 'number')
    return <span>{t('rules.program.next', { time: when(next_start) })}</span>;
  return null;
}

/** "Now 31.2 °C, average of 2 sensors"; with the quantity where there are several. */
export function Now({ sight, type, named }: { sight: Sight; type: SensorTypeName; named?: boolean }) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const quantity = named ? `${words.quantity(type)}: ` : '';
  if (sight.value === null)
    return (
      <span>
        {quantity}
        {t('rules.now.none')}
      </span>
    );
  return (
    <span>
      {quantity}
      {t('rules.now.value', {
        count: sight.fresh,
        amount: words.amount(type, sight.value),
        sensors: format.count(sight.fresh),
      })}
    </span>
  );
}
