// The parts of a rule one by one, as they were written (spec 2.17), and at each device whether it is done.
import { useTranslation } from 'react-i18next';
import ActIcon from '~icon/ArrowRight';
import When from '~icon/Bolt';
import Stop from '~icon/HandStop';
import { samePlace, useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { useRuleWords } from '../../i18n/rule-words';
import type { Scope } from '../../screen/condition/places';
import {
  conditionOf,
  scheduleOf,
  startWords,
  stopWords,
  thingNames,
  triggerPlace,
} from '../../screen/trigger';
import { StatePill } from '../../ui/StatePill';
import { type Effect, effectOf } from './claims';
import type { FarmThings } from './farm';
import { type Condition, hasValue, MAX_CLEAR_SEC } from './form';
import type { Rule } from './queries';
import classes from './RuleParts.module.css';
import { deviceName, wordsOfRule } from './words';

interface Props {
  rule: Rule;
  rules: readonly Rule[];
  things: FarmThings;
}

export function RuleParts({ rule, rules, things }: Props) {
  const { t } = useTranslation();
  const words = useDomain();
  const condition = useConditionPart(things);
  const sentences = useRuleWords();
  const place = triggerPlace(rule);
  const trigger = conditionOf(rule.trigger);
  const stop = conditionOf(rule.stop_condition);
  const names = thingNames(rules, things.devices, things.setpoints);
  const told = (part: Parameters<typeof sentences.partSentence>[0]) =>
    sentences.partSentence(part, names, things.houses);
  const started = () => {
    if (trigger) return condition(trigger, false, place, rule.scope);
    return scheduleOf(rule.trigger)
      ? t('rules.program.clock', { start: told(startWords(rule)) })
      : t('rules.program.tree', { condition: told(startWords(rule)) });
  };
  const stopped = () => {
    if (stop) return condition(stop, true, stop.scope ?? place, place);
    const tree = stopWords(rule);
    if (tree) return t('rules.program.stopTree', { condition: told(tree) });
    if (scheduleOf(rule.trigger)) return undefined;
    const held = 'duration_sec' in rule.trigger ? rule.trigger.duration_sec : MAX_CLEAR_SEC;
    return t('rules.part.clear', { duration: words.duration(Math.min(held, MAX_CLEAR_SEC)) });
  };
  const ends = stopped();
  return (
    <ul className={classes['parts']} aria-label={t('rules.part.title')}>
      <li>
        <When size={20} aria-hidden />
        <span>{started()}</span>
      </li>
      {rule.actions.map((action, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: actions have no identity but their place in the list
        <li key={index}>
          <ActIcon size={20} aria-hidden />
          <Action action={action} rule={rule} rules={rules} things={things} />
        </li>
      ))}
      {ends && (
        <li>
          <Stop size={20} aria-hidden />
          <span>{ends}</span>
        </li>
      )}
      {rule.run_sec && (
        <li>
          <Stop size={20} aria-hidden />
          <span>
            {t(ends ? 'rules.program.run' : 'rules.program.runClock', {
              duration: words.duration(rule.run_sec),
            })}
          </span>
        </li>
      )}
    </ul>
  );
}

/** "When Temperature is > 35 °C for 300 s", and where, if that is not where one would expect. */
function useConditionPart({ houses }: FarmThings) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  return (condition: Condition, stops: boolean, place: Scope, expected: Scope) => {
    const { sensor_type: type, operator, value, value_max, duration_sec } = condition;
    const holes = {
      sensor: words.quantity(type),
      value: words.amount(type, value),
      seconds: format.count(duration_sec),
    };
    const said =
      operator === 'between'
        ? t('rules.part.whenBetween', { ...holes, max: words.amount(type, value_max ?? value) })
        : t(stops ? 'rules.part.stop' : 'rules.part.when', { ...holes, sign: words.operatorSign(operator) });
    return samePlace(place, expected)
      ? said
      : `${said} (${t('rules.part.at', { place: words.placePath(place, houses) })})`;
  };
}

function Action({ action, rule, rules, things }: Props & { action: Rule['actions'][number] }) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const sentences = useRuleWords();
  const { command, delay_sec } = action;
  const [told] = wordsOfRule({ ...rule, actions: [action] }, things.devices).actions;
  const holes = {
    device: deviceName(action, things.devices),
    action: words.action(command.action),
  };
  const device = things.devices.find(({ id }) => id === action.device_id);
  // A rule that does not run claims nothing: its devices belong to others.
  const effect = device && rule.status.phase === 'running' ? effectOf(rule.id, device, rules) : undefined;
  return (
    <span className={classes['action']}>
      <span>
        {delay_sec > 0 && !action.curve && `${t('rules.part.after', { seconds: format.count(delay_sec) })} `}
        {action.curve
          ? told && sentences.actionSentence(told, thingNames(rules, things.devices, things.setpoints))
          : hasValue(command.action)
            ? t('rules.part.actionValue', {
                ...holes,
                value: words.actionAmount(command.action, command.value),
              })
            : t('rules.part.action', holes)}
        {action.for_sec && !action.curve && ` (${words.duration(action.for_sec)})`}
      </span>
      {effect && <EffectPill effect={effect} />}
    </span>
  );
}

const reasons = {
  offline: 'rules.effect.offline',
  locked: 'rules.effect.locked',
  manual: 'rules.effect.manual',
  safety: 'rules.effect.safety',
} as const;

function EffectPill({ effect }: { effect: Effect }) {
  const { t } = useTranslation();
  switch (effect.kind) {
    case 'obeyed':
      return <StatePill live tone="good" word={t('rules.effect.obeyed')} />;
    case 'waits':
      return <StatePill tone="warn" word={t(reasons[effect.why])} />;
    case 'outranked':
      return <StatePill tone="warn" word={t('rules.effect.outranked', { rule: effect.by })} />;
  }
}
