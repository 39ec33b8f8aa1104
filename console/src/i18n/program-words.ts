// Conditions as trees, and starts by the clock, in words (docs/semantics.md section 13).
import type { TFunction } from 'i18next';
import type {
  DomainWords,
  NodeWords,
  Place,
  PlacedTree,
  PlaceNames,
  ScheduleWords,
  ThingNames,
} from './domain';
import type { Format } from './format';

type MomentWords = NonNullable<ScheduleWords['at']>[number];

/** A day on which no clock is changed anywhere, to say a time of day by. */
const ANY_DAY = '2026-01-15';
/** A leap year: 29 February is a date. */
const LEAP_YEAR = 2024;
const MINUTE_MS = 60_000;
const MINUTE_SEC = 60;

/** The words of programs in a language. */
export function programWords(t: TFunction, format: Format, words: DomainWords) {
  const { amount, duration, placeInText } = words;

  /** "6:00 am", as the person reads times. */
  const timeOfDay = (hhmm: string) => {
    const [hours = Number.NaN, minutes = Number.NaN] = hhmm.split(':').map(Number);
    const instant = new Date(format.dayStart(ANY_DAY) + (hours * 60 + minutes) * MINUTE_MS);
    return Number.isNaN(instant.getTime()) ? hhmm : format.clock(instant);
  };

  /** "sunset", "20 min before sunset"; `as` tells whether something starts then, or a window has it as an end. */
  const momentText = (moment: MomentWords, as: 'start' | 'moment') => {
    if (typeof moment === 'string') return t(`domain.program.${as}.clock`, { time: timeOfDay(moment) });
    const { sun, offset_min: offset } = moment;
    if (offset === 0) return t(`domain.program.${as}.${sun}`);
    const holes = { duration: duration(Math.abs(offset) * MINUTE_SEC) };
    return t(`domain.program.${offset < 0 ? 'before' : 'after'}.${sun}`, holes);
  };

  const date = (monthDay: string) => format.dayOfMonth(`${LEAP_YEAR}-${monthDay}`);
  const weekdays = (days: NonNullable<NodeWords['days']>) =>
    days.map((day) => t(`domain.program.weekday.${day}`));

  const comparison = (node: NodeWords, inherited: Place, known?: PlaceNames): string | undefined => {
    const { sensor_type: type, operator, value, value_max, scope, hold_sec } = node;
    if (!type || !operator || typeof value !== 'number') return;
    const holes = {
      subject: t('domain.subject', {
        quantity: t(`domain.quantityInText.${type}`),
        place: placeInText(scope ?? inherited, known),
      }),
      value: amount(type, value),
      max: amount(type, value_max ?? value),
    };
    if (!hold_sec) return t(`domain.program.is.${operator}`, holes);
    const compared = t(`domain.compared.${operator}`);
    return t(`domain.condition.${operator}`, { ...holes, compared, duration: duration(hold_sec) });
  };

  /** What a node says, without its hold. */
  const plain = (node: NodeWords, place: Place, names: ThingNames, known?: PlaceNames): string => {
    const { all, any, not, time, days, dates, rule, device, is } = node;
    const inner = (branch: NodeWords) => {
      const text = nodeText(branch, place, names, known);
      const branches = branch.all ?? branch.any;
      return branches && branches.length > 1 ? t('domain.program.group', { what: text }) : text;
    };
    if (all) return format.list(all.map(inner));
    if (any) return format.either(any.map(inner));
    if (not) return t('domain.program.not', { what: inner(not) });
    if (time) {
      const holes = { from: momentText(time.from, 'moment'), to: momentText(time.to, 'moment') };
      return days
        ? t('domain.program.windowDays', { ...holes, days: format.either(weekdays(days)) })
        : t('domain.program.window', holes);
    }
    if (days) return t('domain.program.days', { days: format.either(weekdays(days)) });
    if (dates) return t('domain.program.dates', { from: date(dates.from), to: date(dates.to) });
    if (rule) return t('domain.program.rule', { rule: names.rule(rule) });
    if (device) return t(`domain.program.device.${is ?? 'on'}`, { device: names.device(device) });
    return comparison({ ...node, hold_sec: null }, place, known) ?? '';
  };

  /** "Fan 1 is on and the temperature in East is above 32 °C". */
  const nodeText = (node: NodeWords, place: Place, names: ThingNames, known?: PlaceNames): string => {
    const compared = comparison(node, place, known);
    if (compared) return compared;
    const what = plain(node, place, names, known);
    return node.hold_sec ? t('domain.program.held', { what, duration: duration(node.hold_sec) }) : what;
  };

  /** The whole tree with its hold, which goes without saying where it is a second. */
  const treeText = ({ tree, duration_sec, place }: PlacedTree, names: ThingNames, known?: PlaceNames) => {
    const what = nodeText(tree, place, names, known);
    return duration_sec > 1 ? t('domain.program.held', { what, duration: duration(duration_sec) }) : what;
  };

  /** "every day at 6:00 am and 20 min before sunset, only if ...". */
  const scheduleText = (
    { at, every, days, dates, guard, if_unknown }: ScheduleWords,
    place: Place,
    names: ThingNames,
    known?: PlaceNames,
  ) => {
    const starts = format.list([
      ...(at ?? []).map((moment) => momentText(moment, 'start')),
      ...(every
        ? [
            t('domain.program.every', {
              duration: duration(every.minutes * MINUTE_SEC),
              from: timeOfDay(every.from),
              to: timeOfDay(every.to),
            }),
          ]
        : []),
    ]);
    const daily = days
      ? t('domain.program.onDays', { starts, days: format.list(weekdays(days)) })
      : t('domain.program.daily', { starts });
    const when = dates
      ? t('domain.program.inDates', { when: daily, from: date(dates.from), to: date(dates.to) })
      : daily;
    return guard
      ? t('domain.program.only', {
          when,
          guard: nodeText(guard, place, names, known),
          unknown: t(`domain.program.unknown.${if_unknown ?? 'skip'}`),
        })
      : when;
  };

  return { treeText, scheduleText };
}
