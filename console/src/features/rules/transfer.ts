// Rules as a file: their documents without what belongs to one farm alone (ids, who wrote them, whether they run), with the
// names of devices, places and other rules beside their ids, so that another farm can say what stands for them.
import { choiceOf, type PlaceChoice, type Scope, scopeOf } from '../../screen/condition/places';
import { thingNames } from '../../screen/trigger';
import type { Farm } from './form';
import type { Device, NewRule, Rule, Setpoint } from './queries';

export const FORMAT = 'harit-rules';
export const VERSION = 1;

/** A rule in a file; its key is what other rules of the file name it by. */
export type FiledRule = Omit<NewRule, 'id' | 'deployed' | 'created_at' | 'created_by'> & { key: string };

export interface RuleFile {
  format: typeof FORMAT;
  version: number;
  devices: { [id: string]: { name: string; type?: Device['type'] } };
  /** Other rules that conditions name. */
  named: { [id: string]: string };
  /** Setpoints that conditions and curves name. */
  setpoints: { [id: string]: { name: string; sensor_type?: Setpoint['sensor_type'] } };
  rules: FiledRule[];
}

/** What a document names, each once. */
export interface Names {
  devices: string[];
  places: Map<PlaceChoice, Scope>;
  rules: string[];
  setpoints: string[];
}

type Part = { [key: string]: unknown };
const isPart = (value: unknown): value is Part =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Puts something else for each device, place, rule and setpoint that a document names; what `change` answers undefined stays. */
export function renamed<Document>(
  document: Document,
  change: {
    device?: (id: string) => string | undefined;
    place?: (scope: Scope) => Scope | undefined;
    rule?: (id: string) => string | undefined;
    setpoint?: (id: string) => string | undefined;
  },
): Document {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (!isPart(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => {
        if (key === 'scope' && isPart(part)) return [key, change.place?.(part as unknown as Scope) ?? part];
        if (typeof part === 'string') {
          if (key === 'device_id' || key === 'device') return [key, change.device?.(part) ?? part];
          if (key === 'rule') return [key, change.rule?.(part) ?? part];
          if (key === 'setpoint') return [key, change.setpoint?.(part) ?? part];
        }
        return [key, walk(part)];
      }),
    );
  };
  return walk(document) as Document;
}

/** What rules name. */
export function namesIn(rules: readonly FiledRule[]): Names {
  const [devices, named, setpoints] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const places: Names['places'] = new Map();
  renamed(rules, {
    device: (id) => void devices.add(id),
    rule: (id) => void named.add(id),
    setpoint: (id) => void setpoints.add(id),
    place: (scope) => {
      if (scope.type !== 'farm') places.set(choiceOf(scope), scope);
      return undefined;
    },
  });
  return { devices: [...devices], places, rules: [...named], setpoints: [...setpoints] };
}

/** What a rule's document has in a file. */
export const documentFields = [
  'name',
  'description',
  'mode',
  'priority',
  'scope',
  'trigger',
  'actions',
  'stop_condition',
  'on_signal_lost',
  'run_sec',
] as const;

/** The file of rules, with the names of now. */
export function fileOf(rules: readonly Rule[], farm: Farm): RuleFile {
  const filed = rules.map((rule): FiledRule => {
    const said = documentFields.flatMap((field) =>
      rule[field] === null || rule[field] === undefined ? [] : [[field, rule[field]]],
    );
    const document = { key: rule.id, ...Object.fromEntries(said) } as FiledRule;
    return renamed(document, {
      place: (scope) => scopeOf(choiceOf(scope), farm.houses, farm.farmId),
    });
  });
  const names = namesIn(filed);
  const nameOf = thingNames(farm.rules, farm.devices, farm.setpoints);
  return {
    format: FORMAT,
    version: VERSION,
    devices: Object.fromEntries(
      names.devices.map((id) => {
        const type = farm.devices.find((device) => device.id === id)?.type;
        return [id, { name: nameOf.device(id), ...(type && { type }) }];
      }),
    ),
    named: Object.fromEntries(names.rules.map((id) => [id, nameOf.rule(id)])),
    setpoints: Object.fromEntries(
      names.setpoints.map((id) => {
        const type = farm.setpoints?.find((setpoint) => setpoint.id === id)?.sensor_type;
        return [id, { name: nameOf.setpoint(id), ...(type && { sensor_type: type }) }];
      }),
    ),
    rules: filed,
  };
}

/** A name that every file system takes: "Drip East" as `drip-east.json`. */
export function fileName(title: string): string {
  const plain = title
    .toLocaleLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');
  return `${plain || 'rules'}.json`;
}

/** What stands for what a file names. */
export type Stands = {
  devices: { [id: string]: string };
  places: { [choice: string]: PlaceChoice };
  rules: { [id: string]: string };
  setpoints: { [id: string]: string };
};

const same = (a: string, b: string) => a.trim().toLocaleLowerCase() === b.trim().toLocaleLowerCase();

/** What stands for it most likely: the same thing, else the only one of that name. A guess is shown, never taken unseen. */
export function guess(file: RuleFile, farm: Farm): Stands {
  const names = namesIn(file.rules);
  const only = <Thing>(found: readonly Thing[]) => (found.length === 1 ? found[0] : undefined);
  const device = (id: string) => {
    const { name = id, type } = file.devices[id] ?? {};
    const fits = farm.devices.filter((each) => !each.gone && (!type || each.type === type));
    const known = fits.find((each) => each.id === id && same(each.name, name));
    return (known ?? only(fits.filter((each) => same(each.name, name))))?.id ?? '';
  };
  const places: { choice: PlaceChoice; path: string }[] = farm.houses.flatMap((house) => [
    { choice: `polyhouse:${house.id}` as const, path: house.name },
    ...house.zones.map((zone) => ({
      choice: `zone:${zone.id}` as const,
      path: `${house.name} / ${zone.name}`,
    })),
  ]);
  const place = (choice: PlaceChoice, scope: Scope): PlaceChoice => {
    const path = scope.path ?? scope.name ?? '';
    const known = places.find(
      (each) => each.choice === choice && (same(each.path, path) || each.path.endsWith(scope.name ?? path)),
    );
    return (known ?? only(places.filter((each) => same(each.path, path))))?.choice ?? '';
  };
  const own = new Set(file.rules.map(({ key }) => key));
  const others = names.rules.filter((id) => !own.has(id));
  const rule = (id: string) =>
    only((farm.rules ?? []).filter(({ name }) => same(name, file.named[id] ?? id)))?.id ?? '';
  const setpoint = (id: string) => {
    const { name = id, sensor_type: type } = file.setpoints[id] ?? {};
    const fits = (farm.setpoints ?? []).filter((each) => !type || each.sensor_type === type);
    const known = fits.find((each) => each.id === id && same(each.name, name));
    return (known ?? only(fits.filter((each) => same(each.name, name))))?.id ?? '';
  };
  return {
    devices: Object.fromEntries(names.devices.map((id) => [id, device(id)])),
    places: Object.fromEntries([...names.places].map(([choice, scope]) => [choice, place(choice, scope)])),
    rules: Object.fromEntries(others.map((id) => [id, rule(id)])),
    setpoints: Object.fromEntries(names.setpoints.map((id) => [id, setpoint(id)])),
  };
}

/** The document of a rule of a file for this farm: a draft. `made` are those of the file that are there already, by key. */
export function draftOf(
  { key: _, ...document }: FiledRule,
  stands: Stands,
  made: ReadonlyMap<string, string>,
  farm: Farm,
): NewRule {
  const moved = renamed(document, {
    device: (id) => stands.devices[id] || undefined,
    rule: (id) => made.get(id) ?? (stands.rules[id] || undefined),
    setpoint: (id) => stands.setpoints[id] || undefined,
    place: (scope) =>
      scope.type === 'farm'
        ? { type: 'farm', farmId: farm.farmId }
        : scopeOf(stands.places[choiceOf(scope)] ?? '', farm.houses, farm.farmId),
  });
  const nameOf = thingNames(undefined, farm.devices);
  return {
    ...moved,
    actions: (moved.actions ?? []).map((action) => ({
      ...action,
      device_name: nameOf.device(action.device_id),
    })),
    deployed: false,
  };
}

/** The rules of a file in an order in which each comes after those that it names; what names each other in a circle is last. */
export function inTurn(rules: readonly FiledRule[]): FiledRule[] {
  const keys = new Set(rules.map(({ key }) => key));
  const ordered: FiledRule[] = [];
  const waiting = [...rules];
  while (waiting.length > 0) {
    const done = new Set(ordered.map(({ key }) => key));
    const next = waiting.findIndex((rule) =>
      namesIn([rule]).rules.every((id) => !keys.has(id) || done.has(id)),
    );
    ordered.push(...waiting.splice(Math.max(0, next), 1));
  }
  return ordered;
}
