// The conditions of a program as the form has them: one level of leaves, joined by "and" or by "or". What does not fit is not
// taken apart (`groupFrom` answers undefined, or `sameNode` finds the difference).
import type { components } from '../../api/schema';
import {
  type OperatorName,
  type PlaceNames,
  type SensorTypeName,
  sensorTypes,
  type WeekdayName,
  weekdays,
} from '../../i18n/domain';
import { choiceOf, type PlaceChoice, type Scope, scopeOf } from '../../screen/condition/places';
import { numberIn, type Span, secondsIn, spanOf } from '../../screen/condition/span';

type Schemas = components['schemas'];
type Tree = Schemas['ConditionTree'];
type Moment = Schemas['Moment'];
/** Of a tree's document: what is not said need not be there. */
export type Node = Partial<Schemas['ConditionNode']>;

export const leafKinds = ['signal', 'time', 'days', 'dates', 'device', 'rule'] as const;
export type LeafKind = (typeof leafKinds)[number];

export type MomentFields = {
  by: 'clock' | 'sunrise' | 'sunset';
  /** `HH:MM`, as the browser's field for times has it. */
  time: string;
  side: 'at' | 'before' | 'after';
  minutes: string;
};

export type LeafFields = {
  /** Tells them apart while they come and go. */
  key: number;
  kind: LeafKind;
  /** Whether it is the opposite that counts. */
  not: boolean;
  /** For how long by itself; none where it is zero. */
  hold_sec: Span;
  sensor_type: SensorTypeName;
  operator: OperatorName;
  value: string;
  /** The upper end, for `between`. */
  value_max: string;
  /** What it is compared with in place of a value, and how much is added to that; empty: with the value. */
  setpoint: string;
  offset: string;
  scope: PlaceChoice;
  from: MomentFields;
  to: MomentFields;
  /** Weekdays; beside a time of day none means all. */
  days: readonly WeekdayName[];
  /** `MM-DD`. */
  dates: { from: string; to: string };
  rule: string;
  device: string;
  is: 'on' | 'off';
};

export type GroupFields = {
  joined: 'all' | 'any';
  of: readonly LeafFields[];
  /** How long all of it must hold. */
  duration_sec: Span;
};

/** As many as the server takes below one node. */
export const MAX_LEAVES = 16;
/** What knows no signal holds at once. */
export const AT_ONCE_SEC = 1;

export const clockAt = (time: string): MomentFields => ({ by: 'clock', time, side: 'at', minutes: '30' });
export const sunAt = (by: 'sunrise' | 'sunset', minutes = 0): MomentFields => ({
  by,
  time: '06:00',
  side: minutes === 0 ? 'at' : minutes < 0 ? 'before' : 'after',
  minutes: minutes === 0 ? '30' : String(Math.abs(minutes)),
});

export function newLeaf(change: Partial<LeafFields> = {}): LeafFields {
  return {
    key: 0,
    kind: 'signal',
    not: false,
    hold_sec: spanOf(0),
    sensor_type: 'temperature',
    operator: 'gt',
    value: '',
    value_max: '',
    setpoint: '',
    offset: '0',
    scope: '',
    from: clockAt('08:00'),
    to: clockAt('18:00'),
    days: [],
    dates: { from: '06-01', to: '09-30' },
    rule: '',
    device: '',
    is: 'on',
    ...change,
  };
}

/** Whether it compares a signal. */
const isSignal = ({ kind }: LeafFields) => kind === 'signal';

/** The group with other leaves: told apart, and with a hold that fits what they are. */
export function withLeaves(group: GroupFields, of: readonly LeafFields[], usualSec: number): GroupFields {
  const held = secondsIn(group.duration_sec);
  const [was, is] = [group.of.some(isSignal), of.some(isSignal)];
  const used = new Set<number>();
  const keyed = of.map((leaf) => {
    const key = used.has(leaf.key) ? 1 + Math.max(...used, ...of.map((each) => each.key)) : leaf.key;
    used.add(key);
    return { ...leaf, key };
  });
  // A guard has no hold of its own.
  const duration_sec =
    held === 0
      ? group.duration_sec
      : was && !is
        ? spanOf(AT_ONCE_SEC)
        : !was && is && held === AT_ONCE_SEC
          ? spanOf(usualSec)
          : group.duration_sec;
  return { ...group, of: keyed, duration_sec };
}

/** Whether it is not said yet with what it compares. */
export const isBlank = ({ value, setpoint }: LeafFields) => value === '' && setpoint === '';

/** The only leaf where it is no more than a comparison with a number: what a condition of version 1 is. */
export function aloneIn({ of }: GroupFields): LeafFields | undefined {
  const [leaf, more] = of;
  return leaf && !more && leaf.kind === 'signal' && !leaf.not && leaf.setpoint === '' ? leaf : undefined;
}

export function momentOf({ by, time, side, minutes }: MomentFields): Moment {
  if (by === 'clock') return time;
  const offset = side === 'at' ? 0 : numberIn(minutes) * (side === 'before' ? -1 : 1);
  return { sun: by, offset_min: offset };
}

export function momentFrom(moment: Moment): MomentFields {
  return typeof moment === 'string' ? clockAt(moment) : sunAt(moment.sun, moment.offset_min);
}

interface Places {
  houses: PlaceNames;
  farmId: string;
}

/** What a leaf says, without its hold. */
function bareNode(leaf: LeafFields, { houses, farmId }: Places): Node {
  switch (leaf.kind) {
    case 'signal': {
      const { sensor_type, operator, value, value_max, setpoint } = leaf;
      const scope = scopeOf(leaf.scope, houses, farmId);
      if (setpoint !== '')
        return {
          sensor_type,
          operator,
          setpoint,
          offset: numberIn(leaf.offset),
          ...(scope && { scope }),
        };
      return {
        sensor_type,
        operator,
        value: numberIn(value),
        ...(operator === 'between' && { value_max: numberIn(value_max) }),
        ...(scope && { scope }),
      };
    }
    case 'time':
      return {
        time: { from: momentOf(leaf.from), to: momentOf(leaf.to) },
        ...(leaf.days.length > 0 && { days: [...leaf.days] }),
      };
    case 'days':
      return { days: [...leaf.days] };
    case 'dates':
      return { dates: { ...leaf.dates } };
    case 'rule':
      return { rule: leaf.rule };
    case 'device':
      return { device: leaf.device, is: leaf.is };
  }
}

const negated = (leaf: LeafFields, node: Node): Node =>
  leaf.not ? { not: node as Schemas['ConditionNode'] } : node;

function nodeOf(leaf: LeafFields, places: Places): Node {
  const hold = secondsIn(leaf.hold_sec);
  return { ...negated(leaf, bareNode(leaf, places)), ...(hold !== 0 && { hold_sec: hold }) };
}

/** What the leaves say together, without the hold of the whole. */
function joinedNode({ joined, of }: GroupFields, places: Places): Node {
  return { [joined]: of.map((leaf) => nodeOf(leaf, places)) };
}

/** The tree of a trigger or stop condition. A single leaf is held as the whole is. */
export function treeOf(group: GroupFields, places: Places): Tree {
  const [only, more] = group.of;
  const node = only && !more ? negated(only, bareNode(only, places)) : joinedNode(group, places);
  return { ...node, duration_sec: secondsIn(group.duration_sec) } as Tree;
}

/** The node of a guard. */
export function guardOf(group: GroupFields, places: Places): Node {
  const [only, more] = group.of;
  if (only && !more) return nodeOf(only, places);
  const hold = secondsIn(group.duration_sec);
  return { ...joinedNode(group, places), ...(hold !== 0 && { hold_sec: hold }) };
}

/** The leaf that a node is; undefined where it is more than one. */
function leafFrom(node: Node, key: number): LeafFields | undefined {
  const hold_sec = spanOf(node.hold_sec ?? 0);
  if (node.not) {
    const inner = leafFrom(node.not, key);
    return inner && !inner.not && secondsIn(inner.hold_sec) === 0
      ? { ...inner, not: true, hold_sec }
      : undefined;
  }
  const leaf = newLeaf({ key, hold_sec });
  if (node.sensor_type)
    return {
      ...leaf,
      sensor_type: node.sensor_type,
      operator: node.operator ?? 'gt',
      value: String(node.value ?? ''),
      value_max: typeof node.value_max === 'number' ? String(node.value_max) : '',
      setpoint: node.setpoint ?? '',
      offset: String(node.offset ?? 0),
      scope: node.scope ? choiceOf(node.scope) : '',
    };
  if (node.time) {
    const [from, to] = [momentFrom(node.time.from), momentFrom(node.time.to)];
    return { ...leaf, kind: 'time', from, to, days: node.days ?? [] };
  }
  if (node.days) return { ...leaf, kind: 'days', days: node.days };
  if (node.dates) return { ...leaf, kind: 'dates', dates: { ...node.dates } };
  if (node.rule) return { ...leaf, kind: 'rule', rule: node.rule };
  if (node.device) return { ...leaf, kind: 'device', device: node.device, is: node.is ?? 'on' };
  return undefined;
}

/** The leaves of a tree or guard; undefined where it is deeper than one level, or holds what no leaf has. */
export function groupFrom(root: Node, durationSec: number): GroupFields | undefined {
  const branches = root.all ?? root.any;
  const leaves = branches ? branches.map(leafFrom) : [leafFrom(root, 0)];
  if (leaves.includes(undefined) || (branches && branches.length < 2)) return undefined;
  return {
    joined: root.any ? 'any' : 'all',
    of: leaves as LeafFields[],
    duration_sec: spanOf(durationSec),
  };
}

/** What a document says apart from labels and what goes without saying: two are the same where this is. */
export function meaning(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(meaning);
  if (typeof part !== 'object' || part === null) return part;
  const known = Object.entries(part).filter(
    ([key, value]) =>
      value !== null && value !== undefined && !((key.endsWith('_sec') || key === 'offset') && value === 0),
  );
  return Object.fromEntries(
    known
      .map(([key, value]): [string, unknown] => [
        key,
        key === 'scope' ? choiceOf(value as Scope) : key === 'offset_min' ? Number(value) : meaning(value),
      ])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

export const sameMeaning = (a: unknown, b: unknown) =>
  JSON.stringify(meaning(a)) === JSON.stringify(meaning(b));

/** In the order of the week. */
export const inOrder = (days: readonly WeekdayName[]): WeekdayName[] =>
  weekdays.filter((day) => days.includes(day));

export const isSensorType = (text: unknown): text is SensorTypeName =>
  sensorTypes.includes(text as SensorTypeName);
