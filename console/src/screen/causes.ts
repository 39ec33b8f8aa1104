// Why a device runs: the rule that has it, the reading at which that started, what ends it, and what is seen of that now. All
// of it is the server's: the rule, its log entry, and what its conditions see.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { conditionsQuery, devicesQuery, polyhousesQuery, ruleLogQuery, rulesQuery } from '../api/queries';
import type { components } from '../api/schema';
import { type ConditionWords, useDomain } from '../i18n/domain';
import { useFormat } from '../i18n/format';
import { type Device, holderOf } from './device';
import type { Rule } from './place';
import { conditionOf, scheduleOf } from './trigger';

type Schemas = components['schemas'];
type Sights = Schemas['RuleConditions'];

/** What a condition saw when it decided. */
export interface Reading {
  sensorType: Schemas['SensorType'];
  value: number;
  sensors: number;
}

/** The rule that has a device, of all rules. */
export function ruleOf<Of extends { id: string }>(
  device: Device,
  rules: readonly Of[] | undefined,
): Of | undefined {
  const holder = holderOf(device);
  return holder.by === 'rule' ? rules?.find(({ id }) => id === holder.rule) : undefined;
}

/** What is read of the condition that ends a rule: the trigger's where it has no stop condition; nothing of a tree or the clock. */
export function endOf(rule: Rule, seen: Sights | undefined) {
  return rule.stop_condition
    ? { condition: conditionOf(rule.stop_condition), sight: seen?.stop }
    : { condition: conditionOf(rule.trigger), sight: seen?.trigger };
}

/** "Temperature above 32 °C, until below 30.5 °C, now 31.6 °C"; "By the clock, until 6:05 am". */
export function useWhyLine(): (rule: Rule, seen: Sights | undefined) => string {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  return (rule, seen) => {
    const trigger = conditionOf(rule.trigger);
    const stop = conditionOf(rule.stop_condition);
    const { condition, sight } = endOf(rule, seen);
    const holes = ({ sensor_type, value, value_max }: ConditionWords) => ({
      quantity: words.quantity(sensor_type),
      value: words.amount(sensor_type, value),
      max: words.amount(sensor_type, value_max ?? value),
    });
    const value = sight?.value ?? null;
    const start = trigger
      ? t(`why.start.${trigger.operator}`, holes(trigger))
      : t(scheduleOf(rule.trigger) ? 'why.start.clock' : 'why.start.tree');
    const untilCondition = () => {
      if (stop) return t(`why.until.${stop.operator}`, holes(stop));
      return t(rule.stop_condition ? 'why.until.tree' : 'why.until.cleared');
    };
    const until =
      typeof rule.run_until === 'number' && !rule.stop_condition
        ? t('why.until.run', { time: format.clock(new Date(rule.run_until)) })
        : untilCondition();
    if (!condition) return t('why.lineBlind', { start, until });
    return t('why.line', {
      start,
      until,
      now:
        value === null
          ? t('why.nowUnknown')
          : t('why.now', { value: words.glance(condition.sensor_type, value) }),
    });
  };
}

/** The reading that a log entry of a rule tells. */
export function readingOf({ details }: Schemas['LogEntry']): Reading | undefined {
  const reading = details['reading'] as Partial<Reading> | undefined;
  return reading?.sensorType && typeof reading.value === 'number'
    ? { sensorType: reading.sensorType, value: reading.value, sensors: reading.sensors ?? 1 }
    : undefined;
}

/** A device follows the log within so long: its controller has to report. */
const FOLLOWS_MS = 60_000;

/** The reading at which a rule switched a device that was reported at an instant; `entries` are the newest first. */
export function startedAt(
  entries: readonly Schemas['LogEntry'][],
  device: string,
  at: number,
): Reading | undefined {
  const entry = entries.find(
    ({ timestamp, details }) =>
      details.kind === 'rule_fired' &&
      timestamp <= at &&
      at - timestamp < FOLLOWS_MS &&
      details.commands.some(({ deviceId }) => deviceId === device),
  );
  return entry && readingOf(entry);
}

/** Everything that is known of why a device runs; it is asked for what is not known yet. */
export function useWhy(farmId: string, device: Device) {
  const rules = useQuery(rulesQuery(farmId)).data;
  const houses = useQuery(polyhousesQuery(farmId)).data;
  const devices = useQuery({ ...devicesQuery(farmId), enabled: false }).data;
  const rule = ruleOf(device, rules);
  const seen = useQuery({ ...conditionsQuery(farmId), enabled: rule !== undefined }).data;
  const since = rule?.status.phase === 'running' ? rule.status.since : undefined;
  const log = useQuery({ ...ruleLogQuery(farmId, since ?? 0), enabled: since !== undefined }).data;
  const entry = log?.items.find(
    ({ ruleId, details }) => ruleId === rule?.id && details.kind === 'rule_fired',
  );
  return {
    rule,
    rules,
    houses,
    devices,
    seen: seen?.find((each) => each.rule === rule?.id),
    reading: entry && readingOf(entry),
  };
}
