// A verdict's reasons as sentences: each names the place or the thing, and since when.
import type { ParseKeys, TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { type SensorTypeName, useDomain } from './domain';
import { type Format, useFormat } from './format';

interface Named {
  id: string;
  name: string;
}

/** A reason as the server tells it. */
export interface ReasonWords {
  since: number | null;
  what: { kind: string } & (
    | { kind: 'no_answer' | 'engine_failed' }
    | { kind: 'cannot_write'; store: 'journal' | 'history' }
    | { kind: 'controller_offline'; controller: string }
    | { kind: 'no_signal'; sensor_type: SensorTypeName; silent: number; of: number }
    | { kind: 'rule_blind'; rule: Named; sensor_type: SensorTypeName; devices: Named[]; all_off: boolean }
    | { kind: 'alert_blind'; alert: Named; raised: boolean }
    | { kind: 'sensor_gone'; sensor: Named; sensor_type: SensorTypeName }
    | { kind: 'device_gone' | 'device_offline' | 'not_following' | 'safety'; device: Named }
    | {
        kind: 'locked';
        device: Named;
        lock: 'controller' | 'person' | 'max_on' | 'keeps_stopping' | 'keeps_starting' | 'stop';
        reason: string;
        by: string | null;
      }
    | { kind: 'alert_raised'; alert: Named }
    | { kind: 'outside_range'; sensor_type: SensorTypeName; value: number; low: number; high: number }
    | { kind: 'override'; device: Named; until: number; on: boolean; by: string | null }
    | { kind: 'rule_off'; rule: Named; draft: boolean }
  );
}

const called = ({ id, name }: Named) => name || id;

/** The sentence of a reason. */
type ReasonKey = Extract<ParseKeys, `verdict.reason.${string}`>;

/** The time of an instant of today, with the day of an earlier one. */
export function instantWords(format: Format, at: number, now = Date.now()): string {
  const instant = new Date(at);
  return format.isoDay(instant) === format.isoDay(new Date(now))
    ? format.clock(instant)
    : format.dayTime(instant);
}

function sentence(
  t: TFunction,
  format: Format,
  words: Pick<ReturnType<typeof useDomain>, 'amount' | 'quantity'>,
  place: string,
  { since, what }: ReasonWords,
  isThere: boolean,
): string {
  // Which holes a sentence has is not told by its key alone.
  const speak = t as unknown as (key: ReasonKey, holes: Record<string, string>) => string;
  const say = (key: ReasonKey, sinceKey: ReasonKey, holes: Record<string, string>) =>
    since === null ? speak(key, holes) : speak(sinceKey, { ...holes, time: instantWords(format, since) });
  const quantity = (type: SensorTypeName) => t(`verdict.quantity.${type}`);
  const inPlace = (text: string) => (isThere ? text : t('verdict.in', { place, sentence: text }));
  switch (what.kind) {
    case 'no_answer':
      return t('verdict.reason.noAnswer');
    case 'engine_failed':
      return t('verdict.reason.engineFailed');
    case 'cannot_write':
      return t(`verdict.reason.${what.store}`);
    case 'controller_offline':
      return inPlace(
        say('verdict.reason.controller', 'verdict.reason.controllerSince', { name: what.controller }),
      );
    case 'no_signal': {
      const holes = {
        place,
        quantity: quantity(what.sensor_type),
        silent: format.count(what.silent),
        of: format.count(what.of),
      };
      return what.silent === what.of
        ? say('verdict.reason.noSignal', 'verdict.reason.noSignalSince', holes)
        : say('verdict.reason.someSilent', 'verdict.reason.someSilentSince', holes);
    }
    case 'rule_blind': {
      const holes = {
        name: called(what.rule),
        quantity: quantity(what.sensor_type),
        devices: format.list(what.devices.map(called)),
      };
      return what.all_off && what.devices.length > 0
        ? say('verdict.reason.ruleBlindOff', 'verdict.reason.ruleBlindOffSince', holes)
        : say('verdict.reason.ruleBlind', 'verdict.reason.ruleBlindSince', holes);
    }
    case 'alert_blind': {
      const holes = { name: called(what.alert) };
      return what.raised
        ? say('verdict.reason.alertLost', 'verdict.reason.alertLostSince', holes)
        : say('verdict.reason.alertBlind', 'verdict.reason.alertBlindSince', holes);
    }
    case 'sensor_gone': {
      const { id, name } = what.sensor;
      return inPlace(
        t('verdict.reason.sensorGone', { name: name || `${quantity(what.sensor_type)} (${id})` }),
      );
    }
    case 'device_gone':
      return inPlace(t('verdict.reason.deviceGone', { name: called(what.device) }));
    case 'device_offline':
      return inPlace(t('verdict.reason.deviceOffline', { name: called(what.device) }));
    case 'not_following':
      return inPlace(
        say('verdict.reason.notFollowing', 'verdict.reason.notFollowingSince', {
          name: called(what.device),
        }),
      );
    case 'safety':
      return inPlace(t('verdict.reason.safety', { name: called(what.device) }));
    case 'locked': {
      const holes = { name: called(what.device), reason: what.reason, by: what.by ?? '' };
      const byPerson = what.by !== null && (what.lock === 'person' || what.lock === 'stop');
      return inPlace(
        t(
          byPerson
            ? `verdict.reason.lock.${what.lock as 'person' | 'stop'}By`
            : `verdict.reason.lock.${what.lock}`,
          holes,
        ),
      );
    }
    case 'alert_raised':
      return inPlace(say('verdict.reason.alert', 'verdict.reason.alertSince', { name: called(what.alert) }));
    case 'outside_range': {
      const { sensor_type: type, value, low, high } = what;
      const isHigh = value > high;
      const holes = {
        quantity: words.quantity(type),
        value: words.amount(type, value),
        limit: words.amount(type, isHigh ? high : low),
      };
      return inPlace(
        isHigh
          ? say('verdict.reason.tooHigh', 'verdict.reason.tooHighSince', holes)
          : say('verdict.reason.tooLow', 'verdict.reason.tooLowSince', holes),
      );
    }
    case 'override': {
      const holes = {
        name: called(what.device),
        time: instantWords(format, what.until),
        by: what.by ?? '',
      };
      const key = what.on
        ? (['verdict.reason.overrideOn', 'verdict.reason.overrideOnBy'] as const)
        : (['verdict.reason.overrideOff', 'verdict.reason.overrideOffBy'] as const);
      return inPlace(t(key[what.by === null ? 0 : 1], holes));
    }
    case 'rule_off':
      return t(what.draft ? 'verdict.reason.ruleDraft' : 'verdict.reason.ruleDisabled', {
        name: called(what.rule),
      });
  }
}

/** Says reasons in the language and the farm's time. */
export function useVerdictWords() {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useDomain();
  return {
    sentence: (place: string, reason: ReasonWords) => sentence(t, format, words, place, reason, false),
    /** The same under the name of the place. */
    sentenceThere: (place: string, reason: ReasonWords) => sentence(t, format, words, place, reason, true),
    instant: (at: number) => instantWords(format, at),
    /** Of when an answer is, where asking again failed. */
    asOf: ({ isError, dataUpdatedAt }: { isError: boolean; dataUpdatedAt: number }) =>
      isError ? t('verdict.asOf', { time: instantWords(format, dataUpdatedAt) }) : undefined,
  };
}
