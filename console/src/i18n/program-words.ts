// Conditions as trees, and starts by the clock, in words (docs/semantics.md section 13).
import type { TFunction } from 'i18next';
import {
  type DomainWords,
  type MomentWords,
  type NodeWords,
  OPEN,
  type Phrase,
  type Place,
  type PlacedTree,
  type PlaceNames,
  type ScheduleWords,
  type Slot,
  type ThingNames,
  type WeekdayName,
} from './domain';
import type { Format } from './format';
import { listed, textOf, woven } from './phrase';

/** A day on which no clock is changed anywhere, to say a time of day by. */
const ANY_DAY = '2026-01-15';
/** A leap year: 29 February is a date. */
const LEAP_YEAR = 2024;
const MINUTE_MS = 60_000;
const MINUTE_SEC = 60;

/** Makes a word that may be chosen. */
type Word = (name: Slot['name'], text: string, nth?: number) => Phrase;

/** The words of programs in a language. */
export function programWords(t: TFunction, format: Format, words: DomainWords) {
  const { amount, duration, placeInText, target } = words;

  /** "6:00 am", as the person reads times. */
  const timeOfDay = (hhmm: string) => {
    const [hours = Number.NaN, minutes = Number.NaN] = hhmm.split(':').map(Number);
    const instant = new Date(format.dayStart(ANY_DAY) + (hours * 60 + minutes) * MINUTE_MS);
    return Number.isNaN(instant.getTime()) ? hhmm || OPEN : format.clock(instant);
  };

  /** "sunset", "20 min before sunset"; `as` tells whether something starts then, or a window has it as an end. */
  const momentText = (moment: MomentWords, as: 'start' | 'moment') => {
    if (typeof moment === 'string') return t(`domain.program.${as}.clock`, { time: timeOfDay(moment) });
    const { sun, offset_min: offset } = moment;
    if (offset === 0) return t(`domain.program.${as}.${sun}`);
    const holes = { duration: duration(Math.abs(offset) * MINUTE_SEC) };
    return t(`domain.program.${offset < 0 ? 'before' : 'after'}.${sun}`, holes);
  };

  /** "29 Feb". */
  const date = (monthDay: string) =>
    /^\d\d-\d\d$/.test(monthDay) ? format.dayOfMonth(`${LEAP_YEAR}-${monthDay}`) : OPEN;
  const weekday = (day: WeekdayName) => t(`domain.program.weekday.${day}`);
  const dayNames = (days: readonly WeekdayName[]) => (days.length > 0 ? days.map(weekday) : [OPEN]);

  /** What a signal is compared with: a number, or a setpoint with what is added to it. */
  const threshold = ({ sensor_type: type, value, setpoint, offset }: NodeWords, names: ThingNames) => {
    if (!type) return OPEN;
    return setpoint ? target(type, names.setpoint(setpoint), offset ?? 0) : amount(type, value ?? Number.NaN);
  };

  const comparison = (
    node: NodeWords,
    inherited: Place,
    names: ThingNames,
    word: Word,
    known?: PlaceNames,
  ): Phrase => {
    const { sensor_type: type, operator, value, value_max, setpoint, scope, hold_sec } = node;
    if (!type || !operator || (typeof value !== 'number' && !setpoint)) return [];
    const parts = {
      subject: woven((holes) => t('domain.subject', holes), {
        quantity: word('sensor', t(`domain.quantityInText.${type}`)),
        place: word('place', placeInText(scope ?? inherited, known)),
      }),
      value: word('value', threshold(node, names)),
      max: operator === 'between' ? word('max', amount(type, value_max ?? Number.NaN)) : [],
    };
    if (!hold_sec) {
      const compared = word('compared', t(`domain.program.compared.${operator}`));
      return woven((holes) => t(`domain.program.is.${operator}`, holes), { ...parts, compared });
    }
    return woven((holes) => t(`domain.condition.${operator}`, holes), {
      ...parts,
      compared: word('compared', t(`domain.compared.${operator}`)),
      duration: word('hold', duration(hold_sec)),
    });
  };

  const held = (what: Phrase, hold: Phrase) =>
    woven((holes) => t('domain.program.held', holes), { what, duration: hold });

  /** A node with its hold: "Fan 1 is on and the temperature in East is above 32 °C". */
  const nodePhrase = (
    node: NodeWords,
    place: Place,
    names: ThingNames,
    word: Word,
    known?: PlaceNames,
  ): Phrase => {
    if (node.sensor_type) return comparison(node, place, names, word, known);
    const what = plain(node, place, names, word, known);
    return node.hold_sec ? held(what, word('hold', duration(node.hold_sec))) : what;
  };

  /** What a node says, without its hold. */
  const plain = (
    node: NodeWords,
    place: Place,
    names: ThingNames,
    word: Word,
    known?: PlaceNames,
  ): Phrase => {
    const { all, any, not, time, days, dates, rule, device, is } = node;
    if (all ?? any) {
      const list = all ? format.list : format.either;
      return listed(
        list,
        (all ?? any ?? []).map((branch) => apart(branch, [inner(branch, place, names, known)])),
      );
    }
    if (not) {
      const branches = not.all ?? not.any;
      const what = branches ? [inner(not, place, names, known)] : nodePhrase(not, place, names, word, known);
      return woven((holes) => t('domain.program.not', holes), { what });
    }
    if (time) {
      const ends = {
        from: word('from', momentText(time.from, 'moment')),
        to: word('to', momentText(time.to, 'moment')),
      };
      return days
        ? woven((holes) => t('domain.program.windowDays', holes), {
            ...ends,
            days: word('days', format.either(dayNames(days))),
          })
        : woven((holes) => t('domain.program.window', holes), ends);
    }
    if (days)
      return woven((holes) => t('domain.program.days', holes), {
        days: word('days', format.either(dayNames(days))),
      });
    if (dates)
      return woven((holes) => t('domain.program.dates', holes), {
        from: word('from', date(dates.from)),
        to: word('to', date(dates.to)),
      });
    if (typeof rule === 'string')
      return woven((holes) => t('domain.program.rule', holes), {
        rule: word('rule', rule === '' ? OPEN : names.rule(rule)),
      });
    if (typeof device === 'string')
      return woven((holes) => t('domain.program.device', holes), {
        device: word('device', device === '' ? OPEN : names.device(device)),
        is: word('is', t(is === 'off' ? 'domain.program.isOff' : 'domain.program.isOn')),
      });
    return [];
  };

  /** Beside others it is told apart what a time of its own belongs to; a comparison says that within itself. */
  const apart = (branch: NodeWords, what: Phrase): Phrase =>
    branch.hold_sec && !branch.sensor_type
      ? woven((holes) => t('domain.program.group', holes), { what })
      : what;

  /** A branch below another, of which nothing may be chosen. */
  const inner = (branch: NodeWords, place: Place, names: ThingNames, known?: PlaceNames): string => {
    const text = textOf(nodePhrase(branch, place, names, (_, told) => [told], known));
    const branches = branch.all ?? branch.any;
    return branches && branches.length > 1 ? t('domain.program.group', { what: text }) : text;
  };

  /** A tree whose leaves may be chosen where they hang on its root or are alone; what is deeper is only told. */
  const rootPhrase = (
    of: 'trigger' | 'guard' | 'stop',
    root: NodeWords,
    place: Place,
    names: ThingNames,
    known?: PlaceNames,
  ): Phrase => {
    const wordAt =
      (nth: number): Word =>
      (name, text) => [{ of, nth, name, text }];
    const branches = root.all ?? root.any;
    if (!branches) return nodePhrase(root, place, names, wordAt(0), known);
    const leaves = branches.map((branch, nth) =>
      (branch.all ?? branch.any)
        ? [inner(branch, place, names, known)]
        : apart(branch, nodePhrase(branch, place, names, wordAt(nth), known)),
    );
    const what = listed(root.all ? format.list : format.either, leaves);
    return root.hold_sec ? held(what, [{ of, name: 'duration', text: duration(root.hold_sec) }]) : what;
  };

  /** The whole tree with its hold, which goes without saying where it is a second. */
  const treePhrase = (
    of: 'trigger' | 'stop',
    { tree, duration_sec, place }: PlacedTree,
    names: ThingNames,
    known?: PlaceNames,
  ): Phrase => {
    const what = rootPhrase(of, tree, place, names, known);
    return duration_sec === 1 ? what : held(what, [{ of, name: 'duration', text: duration(duration_sec) }]);
  };

  const clock: Word = (name, text, nth) => [{ of: 'clock', name, text, ...(nth !== undefined && { nth }) }];

  /** "at 6:00 am and 20 min before sunset", "every 20 min from 8:00 am to 5:00 pm". */
  const startsPhrase = ({ at, every }: ScheduleWords): Phrase =>
    listed(format.list, [
      ...(at ?? []).map((moment, nth) => clock('moment', momentText(moment, 'start'), nth)),
      ...(every
        ? [
            woven((holes) => t('domain.program.every', holes), {
              duration: clock('minutes', duration(every.minutes * MINUTE_SEC)),
              from: clock('from', timeOfDay(every.from)),
              to: clock('to', timeOfDay(every.to)),
            }),
          ]
        : []),
    ]);

  /** The same with its days. */
  const daysPhrase = (schedule: ScheduleWords): Phrase => {
    const starts = startsPhrase(schedule);
    const { days } = schedule;
    return days
      ? woven((holes) => t('domain.program.onDays', holes), {
          starts,
          days: clock('days', format.list(dayNames(days))),
        })
      : woven((holes) => t('domain.program.daily', holes), {
          starts,
          days: clock('days', t('domain.program.everyDay')),
        });
  };

  /** "every day at 6:00 am and 20 min before sunset, only if ...". */
  const schedulePhrase = (
    schedule: ScheduleWords,
    place: Place,
    names: ThingNames,
    known?: PlaceNames,
  ): Phrase => {
    const { dates, guard, if_unknown } = schedule;
    const daily = daysPhrase(schedule);
    const when = dates
      ? woven((holes) => t('domain.program.inDates', holes), {
          when: daily,
          from: clock('dates', date(dates.from), 0),
          to: clock('dates', date(dates.to), 1),
        })
      : daily;
    if (!guard) return when;
    return woven((holes) => t('domain.program.only', holes), {
      when,
      guard: rootPhrase('guard', guard, place, names, known),
      unknown: clock('unknown', if_unknown ? t(`domain.program.unknown.${if_unknown}`) : OPEN),
    });
  };

  return { threshold, treePhrase, schedulePhrase, daysPhrase, timeOfDay, momentText, weekday, date };
}
