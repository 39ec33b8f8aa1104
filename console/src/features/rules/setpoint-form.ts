// A setpoint as its form has it: the day as points, and the stages of a crop with days of their own.
import type { components } from '../../api/schema';
import { type PlaceNames, type SensorTypeName, sensorSpecs } from '../../i18n/domain';
import { choiceOf, type PlaceChoice, scopeOf } from '../../screen/condition/places';
import { type Problem, valueProblems } from '../../screen/condition/problems';
import { numberIn } from '../../screen/condition/span';
import { clockAt, type MomentFields, momentFrom, momentOf } from './leaves';
import { momentProblems } from './problems';
import type { Setpoint } from './queries';
import { rounded, startValue } from './usual';

type Schemas = components['schemas'];
type Input = Schemas['FarmSetpointInput'];
type Point = Schemas['CoursePoint'];

export type PointFields = { key: number; at: MomentFields; value: string; ramp_min: string };
export type StageFields = { key: number; from: string; ramp_days: string; course: readonly PointFields[] };
export type SetpointFields = {
  name: string;
  sensor_type: SensorTypeName;
  scope: PlaceChoice;
  course: readonly PointFields[];
  stages: readonly StageFields[];
};

/** As the server has them. */
export const MAX_COURSE_POINTS = 24;
export const MAX_STAGES = 16;
const MAX_RAMP_MIN = 720;
const MAX_RAMP_DAYS = 60;

const keyed = <Each>(all: readonly Each[]) => all.map((each, key) => ({ ...each, key }));
/** A key that none of them has. */
export const nextKey = (all: readonly { key: number }[]) => 1 + Math.max(-1, ...all.map(({ key }) => key));

export const newPoint = (type: SensorTypeName, time: string, key = 0): PointFields => ({
  key,
  at: clockAt(time),
  value: String(startValue(type, 'lt')),
  ramp_min: '0',
});

const pointFrom = ({ at, value, ramp_min }: Point, key: number): PointFields => ({
  key,
  at: momentFrom(at),
  value: String(value),
  ramp_min: String(ramp_min ?? 0),
});

export function setpointFields(known: Setpoint | undefined): SetpointFields {
  if (!known)
    return {
      name: '',
      sensor_type: 'temperature',
      scope: 'farm',
      course: keyed([newPoint('temperature', '06:00'), newPoint('temperature', '18:00')]),
      stages: [],
    };
  const { name, sensor_type, scope, course, stages } = known;
  return {
    name,
    sensor_type,
    scope: choiceOf(scope),
    course: course.map(pointFrom),
    stages: stages.map((stage, key) => ({
      key,
      from: stage.from,
      ramp_days: String(stage.ramp_days ?? 0),
      course: stage.course.map(pointFrom),
    })),
  };
}

const pointOf = ({ at, value, ramp_min }: PointFields): Point => ({
  at: momentOf(at),
  value: numberIn(value),
  ramp_min: numberIn(ramp_min),
});

/** The document; what is no number is named by the server. */
export function setpointOf(
  { name, sensor_type, scope, course, stages }: SetpointFields,
  farm: { houses: PlaceNames; farmId: string },
): Input {
  return {
    name: name.trim(),
    sensor_type,
    scope: scopeOf(scope, farm.houses, farm.farmId) ?? { type: 'farm', farmId: farm.farmId },
    course: course.map(pointOf),
    stages: stages.map(({ from, ramp_days, course: day }) => ({
      from,
      ramp_days: numberIn(ramp_days),
      course: day.map(pointOf),
    })),
  };
}

/** The same with the course that counts today moved by so much, as far as its quantity goes. */
export function shifted(known: Setpoint, by: number): Input {
  const { name, sensor_type, scope, course, stages, stage } = known;
  const { min, max } = sensorSpecs[sensor_type];
  const within = (value: number) => rounded(Math.min(max, Math.max(min, value)));
  const moved = (day: readonly Point[]) =>
    day.map((point) => ({ ...point, value: within(point.value + by) }));
  return {
    name,
    sensor_type,
    scope,
    course: stage === null ? moved(course) : course,
    stages: stages.map((each, nth) => (nth === stage ? { ...each, course: moved(each.course) } : each)),
  };
}

function courseProblems(at: string, course: readonly PointFields[], type: SensorTypeName): Problem[] {
  if (course.length === 0) return [{ path: at, code: 'required' }];
  return course.flatMap((point, nth) => {
    const path = `${at}[${nth}]`;
    return [
      ...momentProblems(`${path}.at`, point.at),
      ...valueProblems(`${path}.value`, point.value, type),
      ...wholeProblems(`${path}.ramp_min`, point.ramp_min, MAX_RAMP_MIN),
    ];
  });
}

function wholeProblems(path: string, typed: string, max: number): Problem[] {
  const value = numberIn(typed);
  if (Number.isNaN(value)) return [{ path, code: 'required' }];
  if (!Number.isInteger(value)) return [{ path, code: 'not_whole' }];
  return value < 0 || value > max ? [{ path, code: 'out_of_range', min: 0, max }] : [];
}

/** What can be seen to be wrong with it. */
export function setpointProblems({ name, sensor_type, course, stages }: SetpointFields): Problem[] {
  return [
    ...(name.trim() === '' ? [{ path: 'name', code: 'required' }] : []),
    ...courseProblems('course', course, sensor_type),
    ...stages.flatMap((stage, nth): Problem[] => {
      const at = `stages[${nth}]`;
      const before = stages[nth - 1];
      return [
        ...(stage.from === ''
          ? [{ path: `${at}.from`, code: 'required' }]
          : before && stage.from <= before.from
            ? [{ path: `${at}.from`, code: 'out_of_order' }]
            : []),
        ...wholeProblems(`${at}.ramp_days`, stage.ramp_days, MAX_RAMP_DAYS),
        ...courseProblems(`${at}.course`, stage.course, sensor_type),
      ];
    }),
  ];
}
