// A rule as a sentence, whole or in pieces. Apart from the other words of a farm: only the pages of rules tell it.
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import {
  type ActionWords,
  type ConditionWords,
  type CurveWords,
  domainWords,
  OPEN,
  type Phrase,
  type Place,
  type PlacedCondition,
  type PlacedSchedule,
  type PlacedTree,
  type PlaceNames,
  type RuleWords,
  type Slot,
  samePlace,
  type ThingNames,
} from './domain';
import { type Format, useFormat } from './format';
import { capital, listed, textOf, woven } from './phrase';
import { programWords } from './program-words';

/** The most actions that a sentence names; a longer list ends in how many more there are. */
const MAX_TOLD = 4;

/** A sentence that ends open needs no full stop. */
const ended = (sentence: string) => sentence.replace(/….$/u, OPEN);

/** NaN is a length of time that is still to be said. */
const isSaid = (seconds: number | null | undefined): seconds is number =>
  typeof seconds === 'number' && seconds !== 0;

/** An action with a curve is one of these; the server takes no other. */
const follows = (what: ActionWords['action']) =>
  what === 'set_speed' || what === 'set_flow_rate' ? what : 'set_position';

/** Where no names are known, an id is the name. */
const idsAsNames: ThingNames = { rule: (id) => id, device: (id) => id, setpoint: (id) => id };

/** The words of a farm in a language, and the sentences of its rules. Use `useRuleWords` in components. */
export function ruleWords(t: TFunction, format: Format) {
  const words = domainWords(t, format);
  const { action, actionAmount, amount, duration, placeInText, target } = words;
  const { treePhrase, schedulePhrase, ...program } = programWords(t, format, words);

  const clause = (of: Slot['of'], condition: ConditionWords, subject: Phrase): Phrase => {
    const { sensor_type, operator: compared, value, value_max, duration_sec } = condition;
    return woven((holes) => t(`domain.condition.${compared}`, holes), {
      subject,
      compared: [{ of, nth: 0, name: 'compared', text: t(`domain.compared.${compared}`) }],
      value: [{ of, nth: 0, name: 'value', text: amount(sensor_type, value) }],
      max:
        compared === 'between'
          ? [{ of, nth: 0, name: 'max', text: amount(sensor_type, value_max ?? value) }]
          : [],
      duration: [{ of, name: 'duration', text: duration(duration_sec) }],
    });
  };

  const conditionPhrase = (
    of: Slot['of'],
    condition: ConditionWords,
    place: Place,
    known?: PlaceNames,
  ): Phrase =>
    clause(
      of,
      condition,
      woven((holes) => t('domain.subject', holes), {
        quantity: [{ of, nth: 0, name: 'sensor', text: t(`domain.quantityInText.${condition.sensor_type}`) }],
        place: [{ of, nth: 0, name: 'place', text: placeInText(place, known) }],
      }),
    );

  /** "the temperature in Polyhouse 1 stays above 35 °C for 5 min". */
  const conditionSentence = (condition: ConditionWords, place: Place, known?: PlaceNames) =>
    textOf(conditionPhrase('trigger', condition, place, known));

  const partPhrase = (
    of: 'trigger' | 'stop',
    part: PlacedCondition | PlacedTree | PlacedSchedule,
    names: ThingNames,
    known?: PlaceNames,
  ): Phrase => {
    if ('schedule' in part) return schedulePhrase(part.schedule, part.place, names, known);
    if ('tree' in part) return treePhrase(of, part, names, known);
    return conditionPhrase(of, part, part.place, known);
  };

  /** What starts or stops a rule: a condition, a tree of them, or the clock. */
  const partSentence = (
    part: PlacedCondition | PlacedTree | PlacedSchedule,
    names: ThingNames,
    known?: PlaceNames,
  ) => textOf(partPhrase('trigger', part, names, known));

  /** "0% at 24 °C to 100% at 32 °C". */
  const courseText = (what: ActionWords['action'], curve: CurveWords, names: ThingNames) => {
    const { sensor_type: type, setpoint, points } = curve;
    const point = ([x = Number.NaN, y = Number.NaN]: readonly number[]) =>
      t('domain.curve.point', {
        at: setpoint ? target(type, names.setpoint(setpoint), x) : amount(type, x),
        value: actionAmount(what, y),
      });
    const [from, to, more] = points.map(point);
    if (from === undefined || to === undefined) return OPEN;
    return more === undefined ? t('domain.curve.span', { from, to }) : format.list(points.map(point));
  };

  /** "open Vent with the temperature: 0% at 24 °C to 100% at 32 °C (20% while that is not known)". */
  const followingPhrase = (told: ActionWords, curve: CurveWords, of: number, names: ThingNames): Phrase => {
    const { device: name, action: what, value } = told;
    return woven((holes) => t('domain.curve.doing', holes), {
      doing: woven((holes) => t(`domain.curve.${follows(what)}`, holes), {
        do: [{ of, name: 'do', text: t(`domain.curve.do.${follows(what)}`) }],
        device: [{ of, name: 'device', text: name || OPEN }],
        quantity: [t(`domain.quantityInText.${curve.sensor_type}`)],
      }),
      curve: [{ of, name: 'curve', text: courseText(what, curve, names) }],
      value: [{ of, name: 'amount', text: actionAmount(what, value) }],
    });
  };

  const actionPhrase = (told: ActionWords, of: number, names: ThingNames = idsAsNames): Phrase => {
    const { device: name, action: what, value, delay_sec, for_sec, linger_sec, curve } = told;
    const doing: Phrase =
      what === 'release'
        ? [action(what)]
        : curve
          ? followingPhrase(told, curve, of, names)
          : woven((holes) => t(`domain.doing.${what}`, holes), {
              do: [{ of, name: 'do', text: t(`domain.do.${what}`) }],
              device: [{ of, name: 'device', text: name || OPEN }],
              value: [{ of, name: 'amount', text: actionAmount(what, value) }],
            });
    const delayed =
      delay_sec === 0
        ? doing
        : woven((holes) => t('domain.doingAfter', holes), {
            doing,
            delay: [{ of, name: 'delay', text: duration(delay_sec) }],
          });
    const bounded = isSaid(for_sec)
      ? woven((holes) => t('domain.program.doingFor', holes), {
          doing: delayed,
          duration: [{ of, name: 'lasts', text: duration(for_sec) }],
        })
      : delayed;
    return isSaid(linger_sec)
      ? woven((holes) => t('domain.program.doingLonger', holes), {
          doing: bounded,
          duration: [{ of, name: 'linger', text: duration(linger_sec) }],
        })
      : bounded;
  };

  /** "turn on Fan 1 after 30 s". */
  const actionSentence = (told: ActionWords, names?: ThingNames) => textOf(actionPhrase(told, 0, names));

  const doings = (actions: readonly ActionWords[], most: number, names: ThingNames): Phrase[] => {
    const phrase = (told: ActionWords, of: number) => actionPhrase(told, of, names);
    if (actions.length <= most) return actions.map(phrase);
    const rest = actions.length - most + 1;
    return [
      ...actions.slice(0, most - 1).map(phrase),
      [t('domain.doingMore', { count: rest, value: format.count(rest) })],
    ];
  };

  const stopPhrase = ({ trigger, stop, names = idsAsNames }: RuleWords, known?: PlaceNames): Phrase => {
    if (!stop) return [];
    // The same quantity at the same place is not named twice.
    const again =
      'sensor_type' in stop &&
      'sensor_type' in trigger &&
      stop.sensor_type === trigger.sensor_type &&
      samePlace(stop.place, trigger.place);
    return again
      ? clause('stop', stop, [
          { of: 'stop', nth: 0, name: 'sensor', text: t(`domain.quantityAgain.${stop.sensor_type}`) },
        ])
      : partPhrase('stop', stop, names, known);
  };

  /** The sentence of a rule with what may be chosen in it, naming at most so many actions. */
  const wholePhrase = (rule: RuleWords, known?: PlaceNames, most = Number.POSITIVE_INFINITY): Phrase => {
    const { trigger, actions, stop, run_sec, names = idsAsNames } = rule;
    const holes = {
      trigger: partPhrase('trigger', trigger, names, known),
      actions: listed(format.list, doings(actions, most, names)),
      stops: [{ of: 'stop', name: 'stops', text: t('domain.stops') }] as const,
      stop: stopPhrase(rule, known),
      run: [{ of: 'clock', name: 'run', text: duration(run_sec ?? Number.NaN) }] as const,
    };
    if ('schedule' in trigger) {
      const sentence = woven(
        (marks) =>
          stop ? t('domain.program.sentence.clockStop', marks) : t('domain.program.sentence.clock', marks),
        holes,
      );
      const late = trigger.schedule.catch_up_sec;
      return late !== 0
        ? woven((marks) => t('domain.program.sentence.catchUp', marks), {
            sentence,
            duration: [{ of: 'clock', name: 'late', text: duration(late) }],
          })
        : sentence;
    }
    const sentence = woven(
      (marks) => (stop ? t('domain.ruleSentence.withStop', marks) : t('domain.ruleSentence.plain', marks)),
      holes,
    );
    return isSaid(run_sec)
      ? woven((marks) => t('domain.program.sentence.bounded', marks), { sentence, run: holes.run })
      : sentence;
  };

  const rulePhrase = (rule: RuleWords, known?: PlaceNames, most?: number): Phrase =>
    capital(wholePhrase(rule, known, most));

  /** "When the temperature in Polyhouse 1 stays above 35 °C for 5 min, turn on Fan 1; stop when it stays below ..." */
  const ruleSentence = (rule: RuleWords, known?: PlaceNames) =>
    ended(textOf(rulePhrase(rule, known, MAX_TOLD)));

  return {
    ...words,
    ...program,
    courseText,
    conditionSentence,
    partSentence,
    actionSentence,
    rulePhrase,
    ruleSentence,
  };
}

/** The same in the language being shown. */
export function useRuleWords() {
  const { t } = useTranslation();
  return ruleWords(t, useFormat());
}
