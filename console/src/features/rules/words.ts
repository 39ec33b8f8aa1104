// What rules say, for their sentences: those of the form as far as it is filled in, and stored ones with the names of now.
import type { components } from '../../api/schema';
import type { ActionWords, PlacedCondition, PlacedSchedule, PlacedTree, RuleWords } from '../../i18n/domain';
import { numberIn, secondsIn } from '../../screen/condition/span';
import { startWords, stopWords, thingNames } from '../../screen/trigger';
import { curveOf, follows } from './curve';
import { type Farm, partOf, placeOf, type RuleFields, said, scopesOf } from './form';
import { aloneIn, type GroupFields, type Node } from './leaves';
import type { Device, Rule } from './queries';
import { scheduleFrom } from './schedule';

type Schemas = components['schemas'];

function groupWords(
  of: 'trigger' | 'stop',
  group: GroupFields,
  fields: RuleFields,
  farm: Farm,
): PlacedCondition | PlacedTree {
  const part = partOf(group, farm);
  const alone = aloneIn(group);
  if (alone) return { ...(part as Schemas['Condition']), place: placeOf(of, alone, fields, farm) };
  const { duration_sec, ...tree } = part as Node & { duration_sec: number };
  return { tree, duration_sec, place: scopesOf(fields, farm).rule };
}

/** What the form says so far, for its sentence; what is missing is NaN or empty. */
export function wordsOf(fields: RuleFields, farm: Farm): RuleWords {
  const { starts, schedule, trigger, actions, stops, stop_condition } = fields;
  const byClock = (by: 'at' | 'every'): PlacedSchedule => ({
    schedule: scheduleFrom(schedule, by, farm),
    place: scopesOf(fields, farm).rule,
  });
  const run = secondsIn(fields.run_sec);
  return {
    trigger: starts === 'condition' ? groupWords('trigger', trigger, fields, farm) : byClock(starts),
    actions: actions.map(
      ({ device_id, command: { action, value }, delay_sec, for_sec, linger_sec, curve }): ActionWords => ({
        device: farm.devices.find(({ id }) => id === device_id)?.name ?? device_id,
        // Before an action is chosen the device is what is known.
        action: action || 'on',
        value: numberIn(value),
        delay_sec: secondsIn(delay_sec),
        // A pulse has its own seconds.
        for_sec: action === 'pulse' ? null : said(for_sec),
        linger_sec: action === 'pulse' ? null : said(linger_sec),
        curve: curve && follows(action) ? curveOf(curve, farm) : null,
      }),
    ),
    stop: stops ? groupWords('stop', stop_condition, fields, farm) : null,
    // What starts by the clock has to say how long it runs.
    run_sec: starts !== 'condition' && run === 0 ? Number.NaN : said(fields.run_sec),
    names: thingNames(farm.rules, farm.devices, farm.setpoints),
  };
}

/** The same of a stored rule, with the names that devices and other rules have now. */
export function wordsOfRule(
  rule: Pick<Rule, 'trigger' | 'scope' | 'stop_condition' | 'actions' | 'run_sec'>,
  devices: readonly Device[],
  rules?: readonly { id: string; name: string }[],
  setpoints?: readonly { id: string; name: string }[],
): RuleWords {
  return {
    trigger: startWords(rule),
    actions: rule.actions.map((action) => ({
      device: deviceName(action, devices),
      action: action.command.action,
      value: action.command.value ?? null,
      delay_sec: action.delay_sec,
      for_sec: action.for_sec ?? null,
      linger_sec: action.linger_sec ?? null,
      curve: action.curve ?? null,
    })),
    stop: stopWords(rule) ?? null,
    run_sec: rule.run_sec ?? null,
    names: thingNames(rules, devices, setpoints),
  };
}

/** The device's name now, else the one it had when the rule was written. */
export function deviceName(action: Schemas['RuleAction'], devices: readonly Device[]): string {
  return devices.find(({ id }) => id === action.device_id)?.name ?? action.device_name ?? action.device_id;
}
