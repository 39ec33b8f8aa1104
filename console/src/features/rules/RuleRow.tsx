// A rule on one line: its state, its name, and where its value stands against its limit. Behind the line: the whole sentence,
// its parts as they were written, and what may be done with it.
import { useEffect, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import Fold from '~icon/ChevronDown';
import Place from '~icon/MapPin';
import { useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { useRuleWords } from '../../i18n/rule-words';
import { useWhen } from '../../i18n/when';
import { LanesLink } from '../../screen/DayLink';
import { RuleWhy, WhyNot } from '../../screen/explained/parts';
import { Unfolding } from '../../screen/explained/Unfolding';
import { conditionOf, scheduleOf } from '../../screen/trigger';
import { Gauge } from '../../ui/Gauge';
import { ExportButton } from './ExportButton';
import type { FarmThings } from './farm';
import type { Condition } from './form';
import type { Rule, Sights } from './queries';
import {
  type Deeds,
  DeleteButton,
  DeployButton,
  EditButton,
  Failures,
  ModeButton,
  useRuleActions,
} from './RuleActions';
import { RuleParts } from './RuleParts';
import classes from './RuleRow.module.css';
import { RuleMark, RuleStanding } from './RuleStanding';
import { scaleOf } from './scale';
import { wordsOfRule } from './words';

interface Props extends Deeds {
  rule: Rule;
  /** All of the farm: another may come first at a device. */
  rules: readonly Rule[];
  /** What its conditions see. */
  seen: Sights | undefined;
  things: FarmThings;
  writes: boolean;
  /** Whether it is what was saved last. */
  saved: boolean;
  unfolded: boolean;
  onUnfold: (unfolded: boolean) => void;
}

export function RuleRow(props: Props) {
  const { rule, rules, seen, things, saved, unfolded, onUnfold } = props;
  const id = useId();
  const words = useRuleWords();
  const line = useRef<HTMLElement>(null);
  useEffect(() => {
    if (saved) line.current?.scrollIntoView({ block: 'center' });
  }, [saved]);
  const sentence = words.ruleSentence(
    wordsOfRule(rule, things.devices, rules, things.setpoints),
    things.houses,
  );
  return (
    <article
      ref={line}
      className={classes['row']}
      aria-labelledby={id}
      data-rule={rule.id}
      data-saved={saved || undefined}
    >
      <details open={unfolded} onToggle={(event) => onUnfold(event.currentTarget.open)}>
        <summary>
          <RuleMark rule={rule} seen={seen} />
          <h3 id={id}>{rule.name}</h3>
          <span className={classes['sentence']}>{sentence}</span>
          <Against rule={rule} seen={seen} />
          <Fold size={20} aria-hidden className={classes['fold']} />
        </summary>
        {unfolded && <Behind {...props} sentence={sentence} />}
      </details>
    </article>
  );
}

/** Where it stands at a glance: its value against its limit, or when it starts next and until when it runs. */
function Against({ rule, seen }: { rule: Rule; seen: Sights | undefined }) {
  const trigger = conditionOf(rule.trigger);
  if (trigger) return <Limit rule={rule} trigger={trigger} seen={seen} />;
  return <Clock rule={rule} />;
}

/** "next 6:00 am", "until 6:05 am". */
function Clock({ rule }: { rule: Rule }) {
  const { t } = useTranslation();
  const when = useWhen();
  const told = () => {
    if (!rule.deployed || rule.mode === 'disabled') return undefined;
    if (typeof rule.run_until === 'number') return t('rules.program.until', { time: when(rule.run_until) });
    if (typeof rule.next_start === 'number') return t('rules.program.next', { time: when(rule.next_start) });
    return scheduleOf(rule.trigger) && t('rules.program.none');
  };
  return (
    <span className={classes['against']}>
      <span className={classes['figures']} data-clock>
        {told()}
      </span>
    </span>
  );
}

/** Its value against its limit, drawn and said. */
function Limit({ rule, trigger, seen }: { rule: Rule; trigger: Condition; seen: Sights | undefined }) {
  const { t } = useTranslation();
  const words = useDomain();
  const stop = conditionOf(rule.stop_condition);
  const { sensor_type: type, operator, value, value_max } = trigger;
  const now = seen?.trigger?.value;
  const limit =
    operator === 'between'
      ? t('rules.gauge.startsBetween', {
          value: words.amount(type, value),
          max: words.amount(type, value_max ?? value),
        })
      : t('rules.gauge.starts', { compared: words.operatorSign(operator), value: words.amount(type, value) });
  return (
    <span className={classes['against']}>
      <Gauge {...scaleOf(trigger, stop, now)} idle={!rule.deployed || rule.mode === 'disabled'} />
      <span className={classes['figures']} data-live-value>
        {typeof now === 'number' ? words.glance(type, now) : t('rules.gauge.unknown')}
        <span className={classes['heard']}>
          {`, ${limit}`}
          {stop &&
            `, ${t('rules.gauge.stops', {
              compared: words.operatorSign(stop.operator),
              value: words.amount(stop.sensor_type, stop.value),
            })}`}
        </span>
      </span>
    </span>
  );
}

function Behind({ rule, rules, things, writes, sentence, ...deeds }: Props & { sentence: string }) {
  const { t } = useTranslation();
  const words = useDomain();
  return (
    <div className={classes['behind']}>
      <p>{sentence}</p>
      {rule.description && <p className={classes['soft']}>{rule.description}</p>}
      <RuleStanding rule={rule} things={things} />
      <RuleParts rule={rule} rules={rules} things={things} />
      <Unfolding title={t('why.explained.ruleWhy')}>
        <RuleWhy farmId={things.farmId} ruleId={rule.id} />
      </Unfolding>
      <Unfolding title={t('why.explained.whyNot')}>
        <WhyNot farmId={things.farmId} ruleId={rule.id} />
      </Unfolding>
      <LanesLink of={{ rule: rule.id }} />
      <p className={classes['origin']}>
        <State rule={rule} />
        <span>
          <Place size={18} aria-hidden />
          {words.placePath(rule.scope, things.houses)}
        </span>
        <Created rule={rule} />
      </p>
      {writes && <Buttons rule={rule} things={things} {...deeds} />}
    </div>
  );
}

/** Its lifecycle, mode and priority in words. */
function State({ rule }: { rule: Rule }) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <>
      <span>{t(rule.deployed ? 'rules.deployed' : 'rules.draft')}</span>
      <span>{t(rule.mode === 'auto' ? 'rules.active' : 'rules.disabled')}</span>
      <span>{t('rules.priority', { value: format.count(rule.priority) })}</span>
    </>
  );
}

function Created({ rule: { created_at, created_by } }: { rule: Rule }) {
  const { t } = useTranslation();
  const format = useFormat();
  const at = created_at === null || created_at === undefined ? undefined : new Date(created_at);
  if (!at || Number.isNaN(at.getTime())) return null;
  const date = format.shortDate(at);
  return (
    <span>
      {created_by ? t('rules.createdBy', { date, name: created_by }) : t('rules.created', { date })}
    </span>
  );
}

function Buttons({ rule, things, ...deeds }: Deeds & { rule: Rule; things: FarmThings }) {
  const { t } = useTranslation();
  const actions = useRuleActions(rule, things.farmId, deeds);
  return (
    <>
      <Failures actions={actions} />
      <div className={classes['buttons']}>
        <EditButton actions={actions} />
        {!rule.deployed && <DeployButton actions={actions} />}
        <ModeButton actions={actions} />
        <ExportButton
          title={rule.name}
          rules={[rule]}
          things={things}
          label={t('rules.transfer.exportOf', { name: rule.name })}
        />
        <DeleteButton actions={actions} />
      </div>
    </>
  );
}
