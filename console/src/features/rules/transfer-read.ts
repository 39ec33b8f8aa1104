// Reads a file of rules: what is wrong with it is said with its place, and nothing of a wrong file is taken.
import { operators } from '../../i18n/domain';
import { isSensorType, type LeafKind } from './leaves';
import { documentFields, FORMAT, type RuleFile, VERSION } from './transfer';

export type FileProblem =
  | { code: 'not_json' | 'not_ours' | 'newer' | 'empty' | 'too_big' | 'too_many' }
  | { code: 'missing' | 'wrong' | 'unknown_field'; path: string };

export const MAX_BYTES = 1_000_000;
const MAX_RULES = 500;
/** More are not told: the first are what is wrong with the file. */
const MAX_PROBLEMS = 20;
const MAX_DEPTH = 6;

type Part = { [key: string]: unknown };
const isPart = (value: unknown): value is Part =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The file, or all that is wrong with it. */
export function readRuleFile(text: string): { file: RuleFile } | { problems: FileProblem[] } {
  if (text.length > MAX_BYTES) return { problems: [{ code: 'too_big' }] };
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return { problems: [{ code: 'not_json' }] };
  }
  if (!isPart(read) || read['format'] !== FORMAT) return { problems: [{ code: 'not_ours' }] };
  const { version, rules, devices = {}, named = {}, setpoints = {} } = read;
  if (typeof version !== 'number') return { problems: [{ code: 'wrong', path: 'version' }] };
  if (version > VERSION) return { problems: [{ code: 'newer' }] };
  if (!Array.isArray(rules)) return { problems: [{ code: 'missing', path: 'rules' }] };
  if (rules.length === 0) return { problems: [{ code: 'empty' }] };
  if (rules.length > MAX_RULES) return { problems: [{ code: 'too_many' }] };
  const check = new Check();
  const deviceNames = check.part(devices, 'devices') ? devices : {};
  for (const [id, device] of Object.entries(deviceNames))
    if (check.part(device, `devices.${id}`)) check.text(device, `devices.${id}`, 'name');
  if (check.part(named, 'named')) for (const id of Object.keys(named)) check.text(named, 'named', id);
  if (check.part(setpoints, 'setpoints'))
    for (const [id, setpoint] of Object.entries(setpoints))
      if (check.part(setpoint, `setpoints.${id}`)) check.text(setpoint, `setpoints.${id}`, 'name');
  const keys = new Set<unknown>();
  rules.forEach((rule, nth) => {
    const at = `rules[${nth}]`;
    if (!check.part(rule, at)) return;
    check.rule(rule, at);
    if (keys.has(rule['key'])) check.say('wrong', `${at}.key`);
    keys.add(rule['key']);
  });
  return check.problems.length > 0
    ? { problems: check.problems.slice(0, MAX_PROBLEMS) }
    : {
        file: {
          format: FORMAT,
          version,
          rules,
          devices: deviceNames,
          named,
          setpoints,
        } as unknown as RuleFile,
      };
}

const nodeKinds: Record<string, LeafKind | 'branch'> = {
  sensor_type: 'signal',
  time: 'time',
  days: 'days',
  dates: 'dates',
  device: 'device',
  rule: 'rule',
  all: 'branch',
  any: 'branch',
  not: 'branch',
};

/** As much as has to be so that a rule can be told and sent; whether its values are right, the server says. */
class Check {
  readonly problems: Extract<FileProblem, { path: string }>[] = [];

  say(code: 'missing' | 'wrong' | 'unknown_field', path: string) {
    this.problems.push({ code, path });
  }

  part(value: unknown, path: string): value is Part {
    if (!isPart(value)) this.say(value === undefined || value === null ? 'missing' : 'wrong', path);
    return isPart(value);
  }

  /** A field of which `is` says whether it is right. */
  field(of: Part, at: string, key: string, is: (value: unknown) => boolean, needed = true) {
    const value = of[key];
    if (value === undefined || value === null) needed && this.say('missing', `${at}.${key}`);
    else if (!is(value)) this.say('wrong', `${at}.${key}`);
  }

  text(of: Part, at: string, key: string, needed = true) {
    this.field(of, at, key, (value) => typeof value === 'string' && value !== '', needed);
  }

  number(of: Part, at: string, key: string, needed = true) {
    this.field(of, at, key, Number.isFinite, needed);
  }

  only(of: Part, at: string, known: readonly string[]) {
    for (const key of Object.keys(of)) if (!known.includes(key)) this.say('unknown_field', `${at}.${key}`);
  }

  rule(rule: Part, at: string) {
    this.only(rule, at, ['key', ...documentFields]);
    this.text(rule, at, 'key');
    this.text(rule, at, 'name');
    this.field(rule, at, 'description', (value) => typeof value === 'string', false);
    this.number(rule, at, 'priority', false);
    this.number(rule, at, 'run_sec', false);
    this.field(rule, at, 'mode', (value) => value === 'auto' || value === 'disabled', false);
    this.field(rule, at, 'on_signal_lost', (value) => value === 'stop' || value === 'hold', false);
    this.scope(rule, at);
    const { trigger, stop_condition: stop, actions } = rule;
    if (this.part(trigger, `${at}.trigger`)) {
      if (trigger['schedule'] === undefined) this.whole(trigger, `${at}.trigger`);
      else if (this.part(trigger['schedule'], `${at}.trigger.schedule`))
        this.schedule(trigger['schedule'], `${at}.trigger.schedule`);
    }
    if (stop !== undefined && stop !== null && this.part(stop, `${at}.stop_condition`))
      this.whole(stop, `${at}.stop_condition`);
    if (!Array.isArray(actions) || actions.length === 0) this.say('missing', `${at}.actions`);
    else for (const [nth, action] of actions.entries()) this.action(action, `${at}.actions[${nth}]`);
  }

  action(action: unknown, at: string) {
    if (!this.part(action, at)) return;
    const times = ['delay_sec', 'for_sec', 'linger_sec'];
    this.only(action, at, ['device_id', 'device_name', 'command', 'curve', ...times]);
    this.text(action, at, 'device_id');
    for (const key of times) this.number(action, at, key, false);
    const { command } = action;
    if (!this.part(command, `${at}.command`)) return;
    const known = ['on', 'off', 'set_speed', 'set_position', 'set_flow_rate', 'pulse'];
    this.field(command, `${at}.command`, 'action', (value) => known.includes(value as string));
    this.number(command, `${at}.command`, 'value', false);
    const { curve } = action;
    if (curve !== undefined && curve !== null && this.part(curve, `${at}.curve`))
      this.curve(curve, `${at}.curve`);
  }

  curve(curve: Part, at: string) {
    const numbers = ['dead_band', 'step', 'least_sec'];
    this.only(curve, at, ['sensor_type', 'scope', 'setpoint', 'points', ...numbers]);
    this.field(curve, at, 'sensor_type', isSensorType);
    this.scope(curve, at, false);
    this.text(curve, at, 'setpoint', false);
    for (const key of numbers) this.number(curve, at, key, false);
    const isPoint = (point: unknown) =>
      Array.isArray(point) && point.length === 2 && point.every(Number.isFinite);
    this.field(curve, at, 'points', (points) => Array.isArray(points) && points.every(isPoint));
  }

  scope(of: Part, at: string, needed = true) {
    const { scope } = of;
    if ((scope === undefined || scope === null) && !needed) return;
    if (!this.part(scope, `${at}.scope`)) return;
    const place = `${at}.scope`;
    this.field(scope, place, 'type', (value) => ['farm', 'polyhouse', 'zone'].includes(value as string));
    if (scope['type'] === 'polyhouse') this.text(scope, place, 'polyhouseId');
    if (scope['type'] === 'zone') this.text(scope, place, 'zoneId');
  }

  moment(of: Part, at: string, key: string) {
    const value = of[key];
    if (!isPart(value)) return this.text(of, at, key);
    const path = `${at}.${key}`;
    this.field(value, path, 'sun', (sun) => sun === 'sunrise' || sun === 'sunset');
    this.number(value, path, 'offset_min', false);
  }

  days(of: Part, at: string) {
    const known = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
    const right = (days: unknown) => Array.isArray(days) && days.every((day) => known.includes(day));
    this.field(of, at, 'days', right, false);
  }

  dates(of: Part, at: string) {
    const { dates } = of;
    if (dates === undefined || dates === null || !this.part(dates, `${at}.dates`)) return;
    for (const end of ['from', 'to'])
      this.field(dates, `${at}.dates`, end, (date) => /^\d\d-\d\d$/.test(String(date)));
  }

  schedule(schedule: Part, at: string) {
    this.only(schedule, at, ['at', 'every', 'days', 'dates', 'guard', 'if_unknown', 'catch_up_sec']);
    const { at: moments, every, guard } = schedule;
    if (Array.isArray(moments))
      for (const nth of moments.keys()) this.moment(moments as unknown as Part, `${at}.at`, String(nth));
    else if (moments !== undefined && moments !== null) this.say('wrong', `${at}.at`);
    if (every !== undefined && every !== null && this.part(every, `${at}.every`)) {
      this.number(every, `${at}.every`, 'minutes');
      for (const end of ['from', 'to']) this.text(every, `${at}.every`, end);
    } else if (!moments) this.say('missing', at);
    this.days(schedule, at);
    this.dates(schedule, at);
    this.number(schedule, at, 'catch_up_sec', false);
    this.field(schedule, at, 'if_unknown', (value) => value === 'run' || value === 'skip', Boolean(guard));
    if (guard !== undefined && guard !== null) this.node(guard, `${at}.guard`, 1);
  }

  /** A trigger or stop condition. */
  whole(part: Part, at: string) {
    const { duration_sec: _, ...node } = part;
    this.number(part, at, 'duration_sec');
    this.node(node, at, 1);
  }

  node(node: unknown, at: string, depth: number) {
    if (!this.part(node, at)) return;
    if (depth > MAX_DEPTH) return this.say('wrong', at);
    const has = (key: string) => node[key] !== undefined && node[key] !== null;
    const kinds = Object.keys(nodeKinds).filter((key) => has(key) && !(key === 'days' && has('time')));
    const [kind, more] = kinds;
    if (!kind) return this.say('missing', at);
    if (more) return this.say('wrong', at);
    const beside = {
      sensor_type: ['operator', 'value', 'value_max', 'setpoint', 'offset', 'scope'],
      time: ['days'],
      device: ['is'],
    };
    this.only(node, at, [kind, 'hold_sec', ...(beside[kind as keyof typeof beside] ?? [])]);
    this.number(node, at, 'hold_sec', false);
    if (kind === 'not') this.node(node['not'], `${at}.not`, depth + 1);
    else if (nodeKinds[kind] === 'branch') {
      const branches = node[kind];
      if (!Array.isArray(branches) || branches.length === 0) return this.say('wrong', `${at}.${kind}`);
      for (const [nth, branch] of branches.entries()) this.node(branch, `${at}.${kind}[${nth}]`, depth + 1);
    } else if (kind === 'sensor_type') {
      this.field(node, at, 'sensor_type', isSensorType);
      this.field(node, at, 'operator', (value) => operators.includes(value as 'gt'));
      if (has('setpoint')) {
        this.text(node, at, 'setpoint');
        this.number(node, at, 'offset', false);
        for (const key of ['value', 'value_max']) if (has(key)) this.say('wrong', `${at}.${key}`);
      } else {
        this.number(node, at, 'value');
        this.number(node, at, 'value_max', node['operator'] === 'between');
      }
      this.scope(node, at, false);
    } else if (kind === 'time') {
      if (this.part(node['time'], `${at}.time`))
        for (const end of ['from', 'to']) this.moment(node['time'], `${at}.time`, end);
      this.days(node, at);
    } else if (kind === 'device') {
      this.text(node, at, 'device');
      this.field(node, at, 'is', (value) => value === 'on' || value === 'off');
    } else if (kind === 'rule') this.text(node, at, 'rule');
    else {
      this.days(node, at);
      this.dates(node, at);
    }
  }
}
