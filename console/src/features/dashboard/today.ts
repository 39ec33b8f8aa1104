// The sentence that stands first: what is wrong in the server's own order, with what follows from it; where nothing is, what runs.
import type { TFunction } from 'i18next';
import type { FarmVerdict, Reason } from '../../api/verdict';
import type { Format } from '../../i18n/format';
import { ruleOf } from '../../screen/causes';
import { type Device, runs } from '../../screen/device';
import type { Rule } from '../../screen/place';
import { conditionOf } from '../../screen/trigger';

type Kind = Exclude<Device['type'], 'sensor'>;

/** Devices of a kind that run in a house (or on the farm) together. */
export interface Group {
  kind: Kind;
  house: string | undefined;
  count: number;
  /** Fans that heat has started. */
  isCooling: boolean;
}

/** What runs, the most first. */
export function whatRuns(
  devices: readonly Device[],
  rules: readonly Rule[] | undefined,
  houses: FarmVerdict['houses'],
): Group[] {
  const groups = new Map<string, Group>();
  for (const device of devices) {
    const { type: kind, scope, gone } = device;
    if (kind === 'sensor' || gone || !runs(device)) continue;
    const trigger = conditionOf(ruleOf(device, rules)?.trigger);
    const isCooling =
      kind === 'fan' &&
      trigger?.sensor_type === 'temperature' &&
      (trigger.operator === 'gt' || trigger.operator === 'gte');
    const house = houses.find(({ polyhouseId }) => polyhouseId === scope.polyhouseId)?.name;
    const key = JSON.stringify([kind, house, isCooling]);
    const group = groups.get(key) ?? { kind, house, count: 0, isCooling };
    groups.set(key, { ...group, count: group.count + 1 });
  }
  return [...groups.values()].sort((a, b) => b.count - a.count);
}

/** "Two fans are cooling House 1." */
export function runningText(t: TFunction, format: Format, groups: readonly Group[]): string {
  const say = ({ kind, house, count, isCooling }: Group) => {
    const holes = { count, value: format.count(count) };
    if (house === undefined) return t(`today.alone.${kind}`, holes);
    if (isCooling) return t('today.cools.fan', { ...holes, place: house });
    return t(`today.runs.${kind}`, { ...holes, place: house });
  };
  const [first, second, third] = groups;
  if (!first) return t('today.atRest');
  if (third) {
    const count = groups.slice(1).reduce((sum, group) => sum + group.count, 0);
    return t('today.more', { first: say(first), count, value: format.count(count) });
  }
  return second ? t('today.two', { first: say(first), second: say(second) }) : say(first);
}

/** What is off because the farm's worst reason leaves rules without their readings, and the reasons that say no more than that. */
export function consequences([worst, ...others]: readonly Reason[]): {
  off: { id: string; name: string }[];
  told: Reason[];
} {
  if (worst?.what.kind !== 'no_signal') return { off: [], told: [] };
  const { sensor_type } = worst.what;
  const told = others.filter(
    ({ what, polyhouseId }) =>
      what.kind === 'rule_blind' &&
      what.all_off &&
      what.sensor_type === sensor_type &&
      polyhouseId === worst.polyhouseId,
  );
  const off = new Map(
    told
      .flatMap(({ what }) => (what.kind === 'rule_blind' ? what.devices : []))
      .map(({ id, name }) => [id, { id, name: name || id }]),
  );
  return off.size > 0 ? { off: [...off.values()], told } : { off: [], told: [] };
}

/** What somebody still has to do: each further reason that the first sentence does not tell. */
export function toDo(reasons: readonly Reason[]): Reason[] {
  const { told } = consequences(reasons);
  return reasons.slice(1).filter((reason) => !told.includes(reason));
}

/** The name of the house of a reason, or that it is the farm. */
export function placeOf(verdict: FarmVerdict, { polyhouseId }: Reason, farm: string): string {
  return verdict.houses.find((house) => house.polyhouseId === polyhouseId)?.name ?? farm;
}
