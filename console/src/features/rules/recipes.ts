// The usual jobs of a polyhouse, each offered where there is a sensor for it and a device that can do it.
import type { components } from '../../api/schema';
import type { OperatorName, PlaceNames, SensorTypeName } from '../../i18n/domain';
import { choiceOf, type PlaceChoice, type Scope } from '../../screen/condition/places';
import { spanOf } from '../../screen/condition/span';
import { isWithin } from '../../screen/place';
import { type ActionFields, type ActionName, actionsOf, groupOf, newAction } from './form';
import type { Device } from './queries';
import type { Offer } from './ready';

export type Sensor = components['schemas']['RegisteredSensor'];

const ids = [
  'coolFan',
  'coolVent',
  'coolFog',
  'dryFan',
  'humidify',
  'keepWarm',
  'heat',
  'drip',
  'noDrip',
  'fill',
  'acid',
  'base',
  'feed',
  'air',
] as const;

interface Recipe {
  sensor: SensorTypeName;
  /** Comparison, value and seconds. */
  when: readonly [OperatorName, number, number];
  stop: readonly [OperatorName, number, number];
  devices: readonly Device['type'][];
  /**
   * What such devices are called, in any language. Where none is called so: with `must` the job is not offered, without it
   * the person chooses the device. A pump for acid and one for food are of one type, and must not be taken for each other.
   */
  called?: { by: RegExp; must?: boolean };
  /** What such devices are not called. */
  not?: RegExp;
  /** The first that a device can do. */
  does: readonly { action: ActionName; value?: number }[];
  /** A dose is given so many times, so many seconds apart, that it can mix. */
  doses?: { times: number; apart: number };
  priority?: number;
}

export const FOG = /fog|mist|फॉग|फ़ॉग|मिस्ट|फव्वा|फवा/iu;
export const HEATER = /heat|burner|हीट|बर्नर/iu;
export const SPECIAL = new RegExp(`${FOG.source}|${HEATER.source}`, 'iu');
const DOSES = { times: 3, apart: 60 };

const recipes: Record<(typeof ids)[number], Recipe> = {
  coolFan: {
    sensor: 'temperature',
    when: ['gt', 35, 300],
    stop: ['lt', 32, 120],
    devices: ['fan'],
    not: SPECIAL,
    does: [{ action: 'on' }, { action: 'set_speed', value: 100 }],
  },
  coolVent: {
    sensor: 'temperature',
    when: ['gt', 30, 300],
    stop: ['lt', 27, 300],
    devices: ['vent', 'curtain'],
    does: [{ action: 'set_position', value: 100 }, { action: 'on' }],
  },
  coolFog: {
    sensor: 'temperature',
    when: ['gt', 36, 120],
    stop: ['lt', 33, 60],
    devices: ['fogger', 'valve', 'pump', 'fan'],
    called: { by: FOG, must: true },
    does: [{ action: 'on' }],
  },
  dryFan: {
    sensor: 'humidity',
    when: ['gt', 85, 600],
    stop: ['lt', 75, 300],
    devices: ['fan'],
    not: SPECIAL,
    does: [{ action: 'on' }, { action: 'set_speed', value: 60 }],
  },
  humidify: {
    sensor: 'humidity',
    when: ['lt', 55, 300],
    stop: ['gt', 65, 120],
    devices: ['fogger', 'valve', 'pump', 'fan'],
    called: { by: FOG, must: true },
    does: [{ action: 'on' }],
  },
  keepWarm: {
    sensor: 'temperature',
    when: ['lt', 15, 600],
    stop: ['gt', 18, 600],
    devices: ['vent', 'curtain'],
    does: [{ action: 'off' }, { action: 'set_position', value: 0 }],
  },
  heat: {
    sensor: 'temperature',
    when: ['lt', 10, 300],
    stop: ['gt', 13, 300],
    devices: ['heater', 'fan', 'valve', 'pump'],
    called: { by: HEATER, must: true },
    does: [{ action: 'on' }],
  },
  drip: {
    sensor: 'soil_moisture',
    when: ['lt', 35, 600],
    stop: ['gt', 45, 60],
    devices: ['valve'],
    not: SPECIAL,
    does: [{ action: 'on' }],
  },
  noDrip: {
    sensor: 'reservoir_level',
    when: ['lt', 15, 60],
    stop: ['gt', 25, 60],
    devices: ['valve'],
    not: SPECIAL,
    does: [{ action: 'off' }],
    priority: 9,
  },
  fill: {
    sensor: 'reservoir_level',
    when: ['lt', 40, 60],
    stop: ['gt', 90, 10],
    devices: ['pump'],
    called: { by: /fill|well|bore|tank|टंकी|टाकी|विहीर|कुआ|कुएँ|बोर/iu },
    not: SPECIAL,
    does: [{ action: 'on' }],
  },
  acid: {
    sensor: 'ph',
    when: ['gt', 6.7, 300],
    stop: ['lt', 6.4, 60],
    devices: ['dosing_pump'],
    called: { by: /acid|ph ?(down|-)|अम्ल|आम्ल|एसिड|ॲसिड|अ‍ॅसिड/iu },
    does: [{ action: 'pulse', value: 5 }],
    doses: DOSES,
  },
  base: {
    sensor: 'ph',
    when: ['lt', 5.6, 300],
    stop: ['gt', 5.8, 60],
    devices: ['dosing_pump'],
    called: { by: /base|alkal|ph ?(up|\+)|क्षार|बेस|अल्कल/iu },
    does: [{ action: 'pulse', value: 5 }],
    doses: DOSES,
  },
  feed: {
    sensor: 'ec',
    when: ['lt', 1.2, 300],
    stop: ['gt', 1.5, 60],
    devices: ['dosing_pump'],
    called: { by: /nutri|fert|feed|खाद|खत|न्यूट्र/iu },
    does: [{ action: 'pulse', value: 10 }],
    doses: DOSES,
  },
  air: {
    sensor: 'co2_level',
    when: ['lt', 350, 600],
    stop: ['gt', 400, 300],
    devices: ['vent'],
    does: [{ action: 'set_position', value: 50 }, { action: 'on' }],
  },
};

/** A usual job at a place. */
export interface Job extends Offer {
  id: (typeof ids)[number];
  place: PlaceChoice;
  sensor: SensorTypeName;
  operator: OperatorName;
  value: number;
  /** Those that would do it; none where the person has to choose among devices of that type. */
  devices: readonly Device[];
  type: Device['type'];
}

/** Whether a device is called so, or is of a type that is: a heater needs no name that says it. */
export function isCalled({ type, name }: Device, by: RegExp): boolean {
  return by.test(`${type} ${name}`);
}

/** The devices of a place, or where it has none of them those that serve it from around. */
function devicesFor(recipe: Recipe, place: Scope, devices: readonly Device[], houses: PlaceNames) {
  const able = devices.filter(
    (device) =>
      recipe.devices.includes(device.type) &&
      !device.gone &&
      !recipe.not?.test(device.name) &&
      actionOf(recipe, device) !== undefined,
  );
  const here = able.filter(({ scope }) => isWithin(scope, place, houses));
  return here.length > 0 ? here : able.filter(({ scope }) => isWithin(place, scope, houses));
}

const actionOf = ({ does }: Recipe, device: Device) =>
  does.find(({ action }) => actionsOf(device).includes(action));

/** The jobs for a place: for each zone of a polyhouse too. */
export function jobsAt(
  place: Scope,
  sensors: readonly Sensor[],
  devices: readonly Device[],
  houses: PlaceNames,
): Job[] {
  const zones = place.type === 'polyhouse' ? houses.find(({ id }) => id === place.polyhouseId)?.zones : [];
  const places: Scope[] = [
    place,
    ...(zones ?? []).map(
      (zone): Scope => ({ type: 'zone', polyhouseId: place.polyhouseId ?? null, zoneId: zone.id }),
    ),
  ];
  return ids.flatMap((id) =>
    places.flatMap((at) => {
      const job = jobOf(id, at, sensors, devices, houses);
      return job ? [job] : [];
    }),
  );
}

function jobOf(
  id: Job['id'],
  place: Scope,
  sensors: readonly Sensor[],
  devices: readonly Device[],
  houses: PlaceNames,
): Job | undefined {
  const recipe = recipes[id];
  const at = choiceOf(place);
  if (!sensors.some(({ type, scope, gone }) => !gone && type === recipe.sensor && choiceOf(scope) === at))
    return;
  const able = devicesFor(recipe, place, devices, houses);
  const { called } = recipe;
  const chosen = called ? able.filter((device) => isCalled(device, called.by)) : able;
  const [any] = able;
  if (!any || (called?.must && chosen.length === 0)) return;
  const [operator, value] = recipe.when;
  return {
    id,
    place: at,
    sensor: recipe.sensor,
    operator,
    value,
    devices: chosen,
    type: any.type,
    asks: [],
    make: () => ({
      scope: at,
      trigger: conditionOf(recipe.sensor, recipe.when),
      stops: true,
      stop_condition: conditionOf(recipe.sensor, recipe.stop),
      actions: actionsFor(recipe, chosen),
      ...(recipe.priority !== undefined && { priority: String(recipe.priority) }),
    }),
  };
}

const conditionOf = (sensor_type: SensorTypeName, [operator, value, seconds]: Recipe['when']) =>
  groupOf({ sensor_type, operator, value: String(value) }, seconds);

function actionsFor(recipe: Recipe, devices: readonly Device[]): ActionFields[] {
  const { times, apart } = recipe.doses ?? { times: 1, apart: 0 };
  const told = devices.length > 0 ? devices : [undefined];
  return told
    .flatMap((device) => {
      const does = device ? actionOf(recipe, device) : recipe.does[0];
      return Array.from({ length: times }, (_, nth) => ({
        ...newAction([]),
        device_id: device?.id ?? '',
        command: { action: does?.action ?? ('' as const), value: does?.value?.toString() ?? '' },
        delay_sec: spanOf(nth * apart),
      }));
    })
    .map((action, key) => ({ ...action, key }));
}
