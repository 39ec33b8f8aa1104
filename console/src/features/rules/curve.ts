// How an action's value follows a signal, as the form has it: points, and what keeps a motor from wearing out.
import type { components } from '../../api/schema';
import { type PlaceNames, type SensorTypeName, sensorSpecs } from '../../i18n/domain';
import { choiceOf, type PlaceChoice, scopeOf } from '../../screen/condition/places';
import { type Problem, spanProblems } from '../../screen/condition/problems';
import { numberIn, type Span, secondsIn, spanOf } from '../../screen/condition/span';
import { usualOf } from './usual';

type Schemas = components['schemas'];
type ActionName = Schemas['ActionName'];
export type Curve = Schemas['Curve'];

export type CurvePoint = { x: string; y: string };
export type CurveFields = {
  sensor_type: SensorTypeName;
  /** Empty: the rule's place. */
  scope: PlaceChoice;
  /** What the signal is less of; empty: of nothing. */
  setpoint: string;
  points: readonly CurvePoint[];
  dead_band: string;
  step: string;
  least_sec: Span;
};

/** As the server has them. */
export const MIN_POINTS = 2;
export const MAX_POINTS = 16;
const MAX_FAR = 1_000_000;
const MAX_LEAST_SEC = 3_600;
const DEFAULT_LEAST_SEC = 60;

/** Whether an action can follow a curve. */
export const follows = (action: ActionName | ''): action is 'set_speed' | 'set_position' | 'set_flow_rate' =>
  action === 'set_speed' || action === 'set_position' || action === 'set_flow_rate';

/** What the command's value may be a multiple of. */
const stepsOf = (action: ActionName | '') =>
  action === 'set_flow_rate' ? { min: 0.1, max: 10, usual: 0.1 } : { min: 1, max: 100, usual: 1 };

/** A curve to begin with: from nothing to all within what is usual of the quantity. */
export function newCurve(
  action: ActionName,
  range: { min: number; max: number },
  sensor_type: SensorTypeName = 'temperature',
): CurveFields {
  const { above, step } = usualOf(sensor_type);
  const [low = 0] = above;
  const high = above[above.length - 2] ?? low + step;
  return {
    sensor_type,
    scope: '',
    setpoint: '',
    points: [
      { x: String(low), y: String(range.min) },
      { x: String(high), y: String(range.max) },
    ],
    dead_band: String(step),
    step: String(action === 'set_flow_rate' ? stepsOf(action).usual : 5),
    least_sec: spanOf(DEFAULT_LEAST_SEC),
  };
}

export function curveFrom({
  sensor_type,
  scope,
  setpoint,
  points,
  dead_band,
  step,
  least_sec,
}: Curve): CurveFields {
  return {
    sensor_type,
    scope: scope ? choiceOf(scope) : '',
    setpoint: setpoint ?? '',
    points: points.map(([x, y]) => ({ x: String(x ?? ''), y: String(y ?? '') })),
    dead_band: String(dead_band ?? 0),
    // None is said of what has the default: it stays so.
    step: typeof step === 'number' ? String(step) : '',
    least_sec: spanOf(least_sec ?? DEFAULT_LEAST_SEC),
  };
}

/** The document; where a number is missing it is NaN, which the server names. */
export function curveOf(
  curve: CurveFields,
  { houses, farmId }: { houses: PlaceNames; farmId: string },
): Curve {
  const { sensor_type, setpoint, points, step } = curve;
  const scope = scopeOf(curve.scope, houses, farmId);
  return {
    sensor_type,
    ...(scope && { scope }),
    ...(setpoint && { setpoint }),
    points: points.map(({ x, y }) => [numberIn(x), numberIn(y)]),
    dead_band: numberIn(curve.dead_band),
    ...(step.trim() !== '' && { step: numberIn(step) }),
    least_sec: secondsIn(curve.least_sec),
  };
}

/** What can be seen to be wrong with it. */
export function curveProblems(
  at: string,
  curve: CurveFields,
  action: ActionName,
  range: { min: number; max: number },
): Problem[] {
  const problems: Problem[] = [];
  const number = (path: string, typed: string, min: number, max: number) => {
    const value = numberIn(typed);
    if (Number.isNaN(value)) problems.push({ path, code: 'required' });
    else if (value < min || value > max) problems.push({ path, code: 'out_of_range', min, max });
  };
  if (curve.points.length > MAX_POINTS)
    problems.push({ path: `${at}.points`, code: 'too_many', max: MAX_POINTS });
  const { min, max } = curve.setpoint ? { min: -MAX_FAR, max: MAX_FAR } : sensorSpecs[curve.sensor_type];
  curve.points.forEach(({ x, y }, nth) => {
    const path = `${at}.points[${nth}]`;
    number(`${path}.x`, x, min, max);
    number(`${path}.y`, y, range.min, range.max);
    const before = curve.points[nth - 1];
    if (before && numberIn(x) <= numberIn(before.x)) problems.push({ path: `${path}.x`, code: 'not_above' });
  });
  number(`${at}.dead_band`, curve.dead_band, 0, MAX_FAR);
  const steps = stepsOf(action);
  if (curve.step.trim() !== '') number(`${at}.step`, curve.step, steps.min, steps.max);
  problems.push(...spanProblems(`${at}.least_sec`, curve.least_sec, 0));
  const least = secondsIn(curve.least_sec);
  if (least > MAX_LEAST_SEC) problems.push({ path: `${at}.least_sec`, code: 'too_long', max: MAX_LEAST_SEC });
  return problems;
}
