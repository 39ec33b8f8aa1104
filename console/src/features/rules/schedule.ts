// When a rule starts by the clock, as the form has it: at times of day, or every so many minutes.
import type { components } from '../../api/schema';
import type { PlaceNames, WeekdayName } from '../../i18n/domain';
import { type Span, secondsIn, spanOf } from '../../screen/condition/span';
import {
  clockAt,
  type GroupFields,
  groupFrom,
  guardOf,
  type MomentFields,
  momentFrom,
  momentOf,
  newLeaf,
  sameMeaning,
} from './leaves';

type Schedule = components['schemas']['Schedule'];

export type Starts = 'condition' | 'at' | 'every';

export type ScheduleFields = {
  at: readonly MomentFields[];
  every: { minutes: Span; from: string; to: string };
  /** None means all. */
  days: readonly WeekdayName[];
  dated: boolean;
  dates: { from: string; to: string };
  guarded: boolean;
  guard: GroupFields;
  /** What is done while the guard is not known: a choice that nobody makes for the person. */
  if_unknown: '' | 'run' | 'skip';
  /** How late a missed start is made up for; zero: it is left out. */
  catch_up_sec: Span;
};

/** As many times of day as the server takes. */
export const MAX_MOMENTS = 24;
export const MAX_EVERY_MIN = 720;
export const MAX_CATCH_UP_SEC = 86_400;

export function newSchedule(): ScheduleFields {
  return {
    at: [clockAt('06:00')],
    every: { minutes: spanOf(1_800), from: '08:00', to: '17:00' },
    days: [],
    dated: false,
    dates: { from: '06-01', to: '09-30' },
    guarded: false,
    guard: { joined: 'all', of: [newLeaf()], duration_sec: spanOf(0) },
    if_unknown: '',
    catch_up_sec: spanOf(0),
  };
}

/** The document's schedule. What is missing is NaN or empty, and left to the server to name. */
export function scheduleFrom(
  fields: ScheduleFields,
  starts: 'at' | 'every',
  places: { houses: PlaceNames; farmId: string },
): Schedule {
  const { at, every, days, dated, dates, guarded, guard, if_unknown, catch_up_sec } = fields;
  return {
    ...(starts === 'at'
      ? { at: at.map(momentOf) }
      : { every: { ...every, minutes: secondsIn(every.minutes) / 60 } }),
    ...(days.length > 0 && { days: [...days] }),
    ...(dated && { dates: { ...dates } }),
    ...(guarded && {
      guard: guardOf(guard, places) as NonNullable<Schedule['guard']>,
      ...(if_unknown && { if_unknown }),
    }),
    catch_up_sec: secondsIn(catch_up_sec),
  };
}

/** The fields of a stored schedule; undefined where they cannot say all of it. */
export function scheduleFields(
  schedule: Schedule,
): { starts: 'at' | 'every'; schedule: ScheduleFields } | undefined {
  const { at, every, days, dates, guard, if_unknown, catch_up_sec } = schedule;
  const fresh = newSchedule();
  const leaves = guard ? groupFrom(guard, guard.hold_sec ?? 0) : undefined;
  if ((guard && !leaves) || (at && every)) return undefined;
  const fields: ScheduleFields = {
    ...fresh,
    ...(at && { at: at.map(momentFrom) }),
    ...(every && { every: { ...every, minutes: spanOf(every.minutes * 60) } }),
    days: days ?? [],
    ...(dates && { dated: true, dates: { ...dates } }),
    ...(leaves && { guarded: true, guard: leaves, if_unknown: if_unknown ?? '' }),
    catch_up_sec: spanOf(catch_up_sec ?? 0),
  };
  const starts = at ? 'at' : 'every';
  // Only the meaning of places counts, so none has to be known.
  const again = scheduleFrom(fields, starts, { houses: [], farmId: '' });
  return sameMeaning(again, schedule) ? { starts, schedule: fields } : undefined;
}
