// An alert rule as the form holds it and as the document says it, and where it stands (spec 3, 5 and 9).
import { looksLikeEmail } from '../../api/contact';
import type { components } from '../../api/schema';
import type { OperatorName, SensorTypeName } from '../../i18n/domain';

type Schemas = components['schemas'];
export type Alert = Schemas['Alert'];
export type AlertFields = Schemas['NewAlert'];
export type Channel = Schemas['AlertChannel'];
export type Evidence = Schemas['AlertEvidence'];
export type Severity = Schemas['AlertSeverity'];
export type Sensor = Schemas['AlertSensor'];
export type Operator = Schemas['AlertOperator'];
export type Scope = Schemas['Scope'];
export type Polyhouse = Schemas['Polyhouse'];

export const evidences = ['worst', 'mean'] as const satisfies readonly Evidence[];
export const severities = ['critical', 'warning', 'info'] as const satisfies readonly Severity[];
export const channels = ['EMAIL', 'WHATSAPP', 'SMS'] as const satisfies readonly Channel[];

/** What each sensor of an alert measures, and the unit that its document carries. The order is the form's. */
export const sensors: Record<Sensor, { type: SensorTypeName; unit: string }> = {
  pH: { type: 'ph', unit: '' },
  EC: { type: 'ec', unit: 'mS/cm' },
  Temperature: { type: 'temperature', unit: '°C' },
  Humidity: { type: 'humidity', unit: '%' },
  'Water Level': { type: 'reservoir_level', unit: '%' },
  'Soil Moisture': { type: 'soil_moisture', unit: '%' },
  'Light Intensity': { type: 'light_intensity', unit: 'lux' },
  'CO2 Level': { type: 'co2_level', unit: 'ppm' },
};
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
export const durationUnits = ['seconds', 'minutes', 'hours'] as const;
export type TimeUnit = (typeof repeatUnits)[number] | (typeof durationUnits)[number];

const SECONDS: Record<TimeUnit, number> = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400 };

/** A span of time as it is typed. */
export interface Span {
  amount: string;
  unit: TimeUnit;
}

export interface ConditionDraft {
  /** For React and the document: conditions have no other identity. */
  id: string;
  sensor: Sensor;
  operator: Operator;
  value: string;
}

export interface Draft {
  name: string;
  repeat: Span;
  channels: readonly Channel[];
  conditions: readonly ConditionDraft[];
  /** E-mail addresses, separated by commas. */
  subscribers: string;
  match: Schemas['AlertMatch'];
  hold: Span;
  clear: Span;
  /** The key of a place: see `placeKey`. */
  place: string;
  evidence: Evidence;
  severity: Severity;
}

/** A condition as a form begins with it: pH > 7. */
export function newCondition(taken: readonly ConditionDraft[] = []): ConditionDraft {
  const numbers = taken.map(({ id }) => Number(/^condition-(\d+)$/.exec(id)?.[1] ?? 0));
  return { id: `condition-${Math.max(0, ...numbers) + 1}`, sensor: 'pH', operator: '>', value: '7' };
}

/** The default alert (spec 9). It is raised, and over, when that has lasted: a reading at the limit is neither. */
export function newDraft(): Draft {
  return {
    name: '',
    repeat: { amount: '30', unit: 'minutes' },
    channels: ['EMAIL'],
    conditions: [newCondition()],
    subscribers: '',
    match: 'all',
    hold: { amount: '2', unit: 'minutes' },
    clear: { amount: '2', unit: 'minutes' },
    place: placeKey(null),
    evidence: 'worst',
    severity: 'warning',
  };
}

/** A stored alert rule, to be changed. */
export function draftOf(alert: Alert): Draft {
  return {
    name: alert.name,
    repeat: { amount: String(alert.repeatsIn), unit: alert.repeatUnit },
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
    hold: spanOf(alert.hold_sec),
    clear: spanOf(alert.clear_sec),
    place: placeKey(alert.scope),
    // One that says nothing compares the mean.
    evidence: alert.evidence ?? 'mean',
    severity: alert.severity,
  };
}

/** The document that a draft without mistakes says. Saving makes it active. */
export function fieldsOf(draft: Draft, scope: Scope | null): AlertFields {
  return {
    name: draft.name.trim(),
    repeatsIn: Number(draft.repeat.amount),
    repeatUnit: draft.repeat.unit === 'seconds' ? 'minutes' : draft.repeat.unit,
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
    hold_sec: secondsOf(draft.hold),
    clear_sec: secondsOf(draft.clear),
    evidence: draft.evidence,
    severity: draft.severity,
    ...(scope && { scope }),
  };
}

/** What is wrong with a draft, by field; the words are the form's. */
export interface Mistakes {
  name: boolean;
  repeat: boolean;
  /** The ids of conditions without a number. */
  values: readonly string[];
  subscribers: 'missing' | 'invalid' | undefined;
  hold: boolean;
  clear: boolean;
}

export function mistakesOf(draft: Draft): Mistakes {
  const people = splitSubscribers(draft.subscribers);
  return {
    name: draft.name.trim() === '',
    repeat: !isWhole(draft.repeat.amount, MIN_REPEAT),
    values: draft.conditions.filter(({ value }) => !isNumber(value)).map(({ id }) => id),
    subscribers: people.length === 0 ? 'missing' : people.every(looksLikeEmail) ? undefined : 'invalid',
    hold: !isWhole(draft.hold.amount, 0),
    clear: !isWhole(draft.clear.amount, 0),
  };
}

export function hasMistakes(mistakes: Mistakes): boolean {
  return Object.values(mistakes).some((mistake) => (Array.isArray(mistake) ? mistake.length > 0 : mistake));
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

function isNumber(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text));
}

function isWhole(text: string, least: number): boolean {
  return isNumber(text) && Number.isInteger(Number(text)) && Number(text) >= least;
}

function secondsOf({ amount, unit }: Span): number {
  return Number(amount) * SECONDS[unit];
}

/** In the largest unit that leaves no rest. */
export function spanOf(seconds: number): Span {
  const unit = seconds === 0 ? undefined : durationUnits.findLast((name) => seconds % SECONDS[name] === 0);
  return { amount: String(seconds / SECONDS[unit ?? 'seconds']), unit: unit ?? 'seconds' };
}

/** A place as a select's value. */
export function placeKey(scope: Scope | null | undefined): string {
  if (!scope || scope.type === 'farm') return 'farm';
  return scope.type === 'zone' ? `zone:${scope.zoneId}` : `polyhouse:${scope.polyhouseId}`;
}

/** The farm's places for a select, zones under their polyhouses. */
export function placesOf(farm: { id: string; name: string }, polyhouses: readonly Polyhouse[]): Scope[] {
  return polyhouses.flatMap((house): Scope[] => {
    const path = `${farm.name} / ${house.name}`;
    const at = { farmId: farm.id, polyhouseId: house.id };
    return [
      { type: 'polyhouse', ...at, name: house.name, path },
      ...house.zones.map(
        (zone): Scope => ({
          type: 'zone',
          ...at,
          zoneId: zone.id,
          name: zone.name,
          path: `${path} / ${zone.name}`,
        }),
      ),
    ];
  });
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
