// When machines may run, as its form has it: a roster of windows by weekday and date, and what must be seen beside. A document that says
// more than the form can show is kept as it is.
import type { components } from '../../api/schema';
import { type WeekdayName, weekdays } from '../../i18n/domain';
import { numberTyped } from '../../ui/wheel';

export type Hours = components['schemas']['DeviceHours'];
type Whole = components['schemas']['ConditionNode'];
/** A node as it is written: what it leaves out has its default. */
type Node = Partial<Whole>;

/** A window of a roster. */
export interface HoursRow {
  /** All days where none is chosen. */
  days: WeekdayName[];
  from: string;
  to: string;
  /** "MM-DD" to "MM-DD"; no dates where both are empty. */
  first: string;
  last: string;
}

export interface HoursValues {
  on: boolean;
  rows: HoursRow[];
  /** A device that must be reported to be on; empty for none. */
  device: string;
  /** Whether a sensor must see the phases. */
  phases: boolean;
  /** Seconds before a start. */
  for_sec: string;
  if_unknown: 'hold' | 'allow' | '';
  /** What the form cannot show. */
  other: Node | null;
}

export const newRow = (): HoursRow => ({ days: [], from: '', to: '', first: '', last: '' });

const phasesSeen: Node = { sensor_type: 'phase_present', operator: 'eq', value: 1 };

/** What says something of a node; absent and null are one. */
function said(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(said);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== null && field !== undefined);
  return Object.fromEntries(fields.sort(([a], [b]) => a.localeCompare(b)).map(([k, v]) => [k, said(v)]));
}
const isSame = (one: unknown, other: unknown) => JSON.stringify(said(one)) === JSON.stringify(said(other));

function rowOf(node: Node): HoursRow {
  const [dates, time] = node.all ?? [undefined, node];
  const clock = (moment: unknown) => (typeof moment === 'string' ? moment : '');
  return {
    days: time?.days ?? [],
    from: clock(time?.time?.from),
    to: clock(time?.time?.to),
    first: dates?.dates?.from ?? '',
    last: dates?.dates?.to ?? '',
  };
}

function nodeOf({ days, from, to, first, last }: HoursRow): Node {
  const chosen = weekdays.filter((day) => days.includes(day));
  const time: Node = { time: { from, to }, ...(chosen.length > 0 && { days: chosen }) };
  return first && last ? { all: [{ dates: { from: first, to: last } }, time] as Whole[] } : time;
}

/** The tree that values say; none where they say nothing. */
function treeOf({ rows, device, phases, other }: HoursValues): Node | undefined {
  if (other) return other;
  const windows = rows.map(nodeOf);
  const parts: Node[] = windows.length > 1 ? [{ any: windows as Whole[] }] : windows;
  if (device) parts.push({ device, is: 'on' });
  if (phases) parts.push(phasesSeen);
  return parts.length > 1 ? { all: parts as Whole[] } : parts[0];
}

export function hoursValues(hours: Hours | null | undefined): HoursValues {
  const none: HoursValues = {
    on: false,
    rows: [newRow()],
    device: '',
    phases: false,
    for_sec: '0',
    if_unknown: '',
    other: null,
  };
  if (!hours) return none;
  const tree = hours.while;
  // A window with dates is an `all` too: it is one part.
  const parts = tree.all && !tree.all[0]?.dates ? tree.all : [tree];
  const device = parts.find((node) => node.device)?.device ?? '';
  const phases = parts.some((node) => isSame(node, phasesSeen));
  const windows = parts.filter((node) => !node.device && !isSame(node, phasesSeen));
  const values = {
    ...none,
    on: true,
    rows: windows.flatMap((node) => (node.any ?? [node]).map(rowOf)),
    device,
    phases,
    for_sec: String(hours.for_sec ?? 0),
    if_unknown: hours.if_unknown,
  };
  return isSame(treeOf(values), tree)
    ? values
    : { ...values, rows: [], device: '', phases: false, other: tree };
}

/** The document; only of values with which nothing is wrong. */
export function hoursBody(values: HoursValues): Hours | null {
  const tree = values.on ? treeOf(values) : undefined;
  if (!tree || !values.if_unknown) return null;
  const seconds = numberTyped(values.for_sec);
  return { while: tree as Whole, if_unknown: values.if_unknown, ...(seconds > 0 && { for_sec: seconds }) };
}

/** What is missing: paths below the hours, of numbers and of choices. */
export function hoursMissing(values: HoursValues): { numbers: string[]; choices: string[]; times: string[] } {
  if (!values.on) return { numbers: [], choices: [], times: [] };
  const isOpen = ({ from, to, first, last }: HoursRow) => !from || !to || (first === '') !== (last === '');
  return {
    numbers: numberTyped(values.for_sec) >= 0 ? [] : ['for_sec'],
    choices: [...(values.if_unknown ? [] : ['if_unknown']), ...(treeOf(values) ? [] : ['rows'])],
    times: values.other ? [] : values.rows.flatMap((row, nth) => (isOpen(row) ? [`rows.${nth}`] : [])),
  };
}
