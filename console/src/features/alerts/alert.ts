// An alert rule as the form holds it and as the document says it, and where it stands (spec 3, 5 and 9).
import { looksLikeEmail } from '../../api/contact';
import type { components } from '../../api/schema';
import type { OperatorName, SensorTypeName } from '../../i18n/domain';
import { sensorTable } from '../../i18n/sensor-types';
import { choiceOf, type PlaceChoice } from '../../screen/condition/places';
import { type Problem, spanProblems, valueProblems } from '../../screen/condition/problems';
import { type Span, secondsIn, spanOf } from '../../screen/condition/span';
import { nodeOf, type OnlyIf, onlyIfOf } from './only-if';

type Schemas = components['schemas'];
export type Alert = Schemas['Alert'];
export type AlertFields = Schemas['NewAlert'];
export type Channel = Schemas['AlertChannel'];
export type Evidence = Schemas['AlertEvidence'];
export type Severity = Schemas['AlertSeverity'];
export type Sensor = Schemas['AlertSensor'];
export type Operator = Schemas['AlertOperator'];
type Scope = Schemas['Scope'];
export type Polyhouse = Schemas['Polyhouse'];

export const evidences = ['worst', 'mean'] as const satisfies readonly Evidence[];
export const severities = ['critical', 'warning', 'info'] as const satisfies readonly Severity[];
export const channels = ['EMAIL', 'WHATSAPP', 'SMS', 'PUSH'] as const satisfies readonly Channel[];

/** What each sensor of an alert measures, and the unit that its document carries. The order is the form's. */
export const sensors = Object.fromEntries(
  sensorTable.map(({ alertName, type, unit }) => [alertName, { type, unit }]),
) as Record<Sensor, { type: SensorTypeName; unit: string }>;
export const sensorNames = Object.keys(sensors) as Sensor[];

/** The comparisons of alerts, in the order of the form. */
export const operators: Record<Operator, OperatorName> = {
  '>': 'gt',
  '<': 'lt',
  '=': 'eq',
  '>=': 'gte',
  '<=': 'lte',
};
export const operatorSigns = Object.keys(operators) as Operator[];

/** The most conditions that the server takes. */
export const MAX_CONDITIONS = 32;
export const MIN_REPEAT = 1;
export const repeatUnits = ['minutes', 'hours', 'days'] as const;

export type ConditionDraft = {
  /** For React and the document: conditions have no other identity. */
  id: string;
  sensor: Sensor;
  operator: Operator;
  value: string;
};

/** As the document names its fields, so that what the server says stands where it belongs. */
export type Draft = {
  name: string;
  repeatsIn: Span;
  channels: readonly Channel[];
  conditions: readonly ConditionDraft[];
  /** E-mail addresses, separated by commas. */
  subscribers: string;
  match: Schemas['AlertMatch'];
  hold_sec: Span;
  clear_sec: Span;
  scope: PlaceChoice;
  evidence: Evidence;
  severity: Severity;
  onlyIf: OnlyIf;
  /** What the document asks that the form has no words for. */
  kept: Alert['only_if'];
};

/** A condition as a form begins with it: pH > 7. */
export function newCondition(taken: readonly ConditionDraft[] = []): ConditionDraft {
  const numbers = taken.map(({ id }) => Number(/^condition-(\d+)$/.exec(id)?.[1] ?? 0));
  return { id: `condition-${Math.max(0, ...numbers) + 1}`, sensor: 'pH', operator: '>', value: '7' };
}

/** The default alert (spec 9). It is raised, and over, when that has lasted: a reading at the limit is neither. */
export function newDraft(): Draft {
  return {
    name: '',
    repeatsIn: { amount: '30', unit: 'minutes' },
    channels: ['EMAIL'],
    conditions: [newCondition()],
    subscribers: '',
    match: 'all',
    hold_sec: spanOf(120),
    clear_sec: spanOf(120),
    scope: 'farm',
    evidence: 'worst',
    severity: 'warning',
    onlyIf: 'always',
    kept: null,
  };
}

/** A stored alert rule, to be changed. */
export function draftOf(alert: Alert): Draft {
  return {
    name: alert.name,
    repeatsIn: { amount: String(alert.repeatsIn), unit: alert.repeatUnit },
    channels: alert.channels ?? [],
    conditions: alert.conditions.map(({ id, sensor, operator, value }, index) => ({
      // Ids are labels: they may be missing, and need not differ.
      id:
        id && alert.conditions.findIndex((other) => other.id === id) === index
          ? id
          : `condition-${index + 1}`,
      sensor,
      operator,
      value: String(value),
    })),
    subscribers: subscribersOf(alert).join(', '),
    match: alert.match,
    hold_sec: spanOf(alert.hold_sec),
    clear_sec: spanOf(alert.clear_sec),
    scope: alert.scope ? choiceOf(alert.scope) : 'farm',
    // One that says nothing compares the mean.
    evidence: alert.evidence ?? 'mean',
    severity: alert.severity,
    onlyIf: onlyIfOf(alert.only_if),
    kept: alert.only_if ?? null,
  };
}

/** The document that a draft without mistakes says. Saving makes it active. */
export function fieldsOf(draft: Draft, scope: Scope | undefined): AlertFields {
  const beside = nodeOf(draft.onlyIf, draft.kept);
  return {
    name: draft.name.trim(),
    repeatsIn: Number(draft.repeatsIn.amount),
    repeatUnit: draft.repeatsIn.unit === 'seconds' ? 'minutes' : draft.repeatsIn.unit,
    isActive: true,
    channels: channels.filter((channel) => draft.channels.includes(channel)),
    conditions: draft.conditions.map(({ id, sensor, operator, value }) => ({
      id,
      sensor,
      operator,
      value: Number(value),
      unit: sensors[sensor].unit,
    })),
    subscribers: splitSubscribers(draft.subscribers).map((email) => ({ email })),
    match: draft.match,
    hold_sec: secondsIn(draft.hold_sec),
    clear_sec: secondsIn(draft.clear_sec),
    evidence: draft.evidence,
    severity: draft.severity,
    ...(beside && { only_if: beside }),
    ...(scope && scope.type !== 'farm' && { scope }),
  };
}

/** What can be seen to be wrong without asking the server. */
export function problemsOf(draft: Draft): Problem[] {
  const people = splitSubscribers(draft.subscribers);
  const subscribers = people.length === 0 ? 'required' : people.every(looksLikeEmail) ? '' : 'not_email';
  return [
    ...(draft.name.trim() === '' ? [{ path: 'name', code: 'required' }] : []),
    ...draft.conditions.flatMap(({ sensor, value }, index) =>
      valueProblems(`conditions[${index}].value`, value, sensors[sensor].type),
    ),
    ...spanProblems('repeatsIn', draft.repeatsIn, MIN_REPEAT),
    ...(subscribers ? [{ path: 'subscribers', code: subscribers }] : []),
    ...spanProblems('hold_sec', draft.hold_sec, 0),
    ...spanProblems('clear_sec', draft.clear_sec, 0),
  ];
}

/** Spec 5: split on commas, trimmed, empty items dropped. Who is named twice is told once. */
export function splitSubscribers(text: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  return items.filter(
    (item, index) => item !== '' && items.findIndex((other) => same(other, item)) === index,
  );
}

/** Puts an address into the text, or takes it out. */
export function toggleSubscriber(text: string, email: string): string {
  const items = splitSubscribers(text);
  const kept = items.filter((item) => !same(item, email));
  return (kept.length < items.length ? kept : [...kept, email]).join(', ');
}

export function isSubscriber(text: string, email: string): boolean {
  return splitSubscribers(text).some((item) => same(item, email));
}

export function subscribersOf(alert: Alert): string[] {
  return (alert.subscribers ?? []).map(({ email }) => email);
}

function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function rank(alert: Alert): number {
  return standingOf(alert) === 'raised' ? severities.indexOf(alert.severity) : severities.length;
}

/** How an alert rule stands; one of these at a time. */
export type Standing = 'off' | 'raised' | 'noData' | 'holding' | 'quiet';

export function standingOf({ isActive, status }: Alert): Standing {
  if (!isActive) return 'off';
  if (status.raised) return 'raised';
  if (status.condition === null) return 'noData';
  return status.holding ? 'holding' : 'quiet';
}

/** Raised ones first, the most urgent before the others: they are why somebody opens the page. */
export function inOrder(alerts: readonly Alert[], compare: (a: string, b: string) => number): Alert[] {
  return alerts.toSorted((a, b) => rank(a) - rank(b) || compare(a.name, b.name));
}
