// Ready programs: what growers set up by the clock or by several conditions. Each asks for devices and numbers, and writes the
// fields of the editor; nothing is saved by it.
import type { SensorTypeName } from '../../i18n/domain';
import { numberIn, spanOf } from '../../screen/condition/span';
import { type Answers, type Ask, type DeviceRole, type NumberName, opens } from './asks';
import { type CurveFields, follows, newCurve } from './curve';
import { type ActionFields, actionsOf, groupOf, newAction, type RuleFields, valueRange } from './form';
import { clockAt, type GroupFields, type LeafFields, newLeaf, sunAt } from './leaves';
import type { Device } from './queries';
import { FOG, HEATER, SPECIAL } from './recipes';
import { newSchedule, type ScheduleFields } from './schedule';

export const programIds = [
  'dripShift',
  'soilDrip',
  'fogPulses',
  'mistNursery',
  'windVent',
  'ventCurve',
  'heatNight',
  'shadeNet',
  'frostGuard',
] as const;
export type ProgramId = (typeof programIds)[number];

interface Program {
  /** All of these must be measured in the place or around it. */
  needs?: readonly SensorTypeName[];
  /** At least one of these. */
  needsAny?: readonly SensorTypeName[];
  asks: (measured: readonly SensorTypeName[]) => readonly Ask[];
  make: (answers: Answers, devices: readonly Device[]) => Partial<RuleFields>;
}

const SHADE = /shad|net|curtain|screen|शेड|नेट|जाली|जाळी|पर्द|पडद/iu;
const SPRINKLER = /sprink|तुषार/iu;
/** A valve stays open so much longer than the one after it waits: the pump never works against closed valves. */
const OVERLAP_SEC = 5;
const STRONG = '9';

const number = ({ numbers }: Answers, name: NumberName) => numberIn(numbers[name] ?? '');
const minutes = (answers: Answers, name: NumberName) => number(answers, name) * 60;

/** An action that switches a device on, as far as it goes. */
function on(id: string, devices: readonly Device[], times: Partial<ActionFields> = {}): ActionFields {
  const does = opens(devices.find((device) => device.id === id)) ?? { action: 'on' as const, value: '' };
  return { ...newAction([]), device_id: id, command: does, ...times };
}

/** An action that goes from nothing to all between two readings of the temperature. */
function following(id: string, devices: readonly Device[], [low, high]: [number, number]): ActionFields {
  const device = devices.find((each) => each.id === id);
  const action = actionsOf(device).find(follows) ?? 'set_position';
  const { min, max } = valueRange(action, device);
  const curve: CurveFields = {
    ...newCurve(action, { min, max }),
    points: [
      { x: String(low), y: String(min) },
      { x: String(high), y: String(max) },
    ],
  };
  return { ...newAction([]), device_id: id, command: { action, value: String(min) }, curve };
}

function off(id: string): ActionFields {
  return { ...newAction([]), device_id: id, command: { action: 'off', value: '' } };
}

const keyed = (actions: readonly ActionFields[]) => actions.map((action, key) => ({ ...action, key }));
const allOn = ({ devices: chosen }: Answers, role: DeviceRole, devices: readonly Device[]) =>
  keyed((chosen[role] ?? []).map((id) => on(id, devices)));

const signal = (
  sensor_type: SensorTypeName,
  operator: LeafFields['operator'],
  value: number,
): Partial<LeafFields> => ({ sensor_type, operator, value: String(value) });
const window = (from: LeafFields['from'], to: LeafFields['to']): Partial<LeafFields> => ({
  kind: 'time',
  from,
  to,
});

const group = (
  joined: GroupFields['joined'],
  of: readonly Partial<LeafFields>[],
  holdSec: number,
): GroupFields => ({
  joined,
  of: of.map((leaf, key) => newLeaf({ ...leaf, key })),
  duration_sec: spanOf(holdSec),
});

const at = (answers: Answers): Partial<ScheduleFields> => ({ at: [answers.times.start ?? clockAt('06:00')] });
const every = (answers: Answers): Partial<ScheduleFields> => ({
  every: {
    minutes: spanOf(minutes(answers, 'every')),
    from: answers.times.from?.time ?? '',
    to: answers.times.to?.time ?? '',
  },
});
const onlyIf = (answers: Answers, leaf: Partial<LeafFields>): Partial<ScheduleFields> => ({
  guarded: true,
  guard: group('all', [leaf], 0),
  if_unknown: answers.unknown,
});

const byClock = (
  starts: 'at' | 'every',
  schedule: Partial<ScheduleFields>,
  runSec: number,
): Partial<RuleFields> => ({
  starts,
  schedule: { ...newSchedule(), ...schedule },
  stops: false,
  run_sec: spanOf(runSec),
});

const byCondition = (trigger: GroupFields, stop_condition: GroupFields): Partial<RuleFields> => ({
  starts: 'condition',
  trigger,
  stops: true,
  stop_condition,
});

const valves: Extract<Ask, { kind: 'devices' }> = {
  kind: 'devices',
  name: 'valves',
  types: ['valve'],
  not: SPECIAL,
  many: true,
};
const start: Ask = { kind: 'time', name: 'start', start: '06:00', sun: true };
const each: Ask = { kind: 'number', name: 'each', unit: 'minutes', start: 10, min: 1, max: 240 };
const daytime: readonly Ask[] = [
  { kind: 'time', name: 'from', start: '08:00' },
  { kind: 'time', name: 'to', start: '17:00' },
];
const unknown: Ask = { kind: 'unknown' };

/** One valve after another. With a pump, which starts after the first valve opened and stops before the last one closes. */
function shifts(answers: Answers, devices: readonly Device[]): ActionFields[] {
  const [pump] = answers.devices.pump ?? [];
  const turns = answers.devices.valves ?? [];
  const turn = minutes(answers, 'each');
  const opened = turns.map((id, nth) => {
    const delay_sec = spanOf(nth * turn);
    const last = nth === turns.length - 1;
    if (!pump) return on(id, devices, { delay_sec, for_sec: spanOf(turn) });
    return last
      ? on(id, devices, { delay_sec, linger_sec: spanOf(OVERLAP_SEC) })
      : on(id, devices, { delay_sec, for_sec: spanOf(turn + OVERLAP_SEC) });
  });
  const [first, ...rest] = opened;
  if (!pump || !first) return keyed(opened);
  return keyed([first, on(pump, devices, { delay_sec: spanOf(OVERLAP_SEC) }), ...rest]);
}

export const programs: Record<ProgramId, Program> = {
  dripShift: {
    asks: () => [
      { ...valves, inTurn: true },
      { kind: 'devices', name: 'pump', types: ['pump'], not: SPECIAL, many: false, optional: true },
      start,
      each,
    ],
    make: (answers, devices) => ({
      ...byClock('at', at(answers), minutes(answers, 'each') * (answers.devices.valves?.length ?? 0)),
      actions: shifts(answers, devices),
    }),
  },
  soilDrip: {
    needs: ['soil_moisture'],
    asks: () => [
      valves,
      start,
      each,
      { kind: 'value', name: 'limit', sensor: 'soil_moisture', compared: 'below', start: 40 },
      unknown,
    ],
    make: (answers, devices) => ({
      ...byClock(
        'at',
        { ...at(answers), ...onlyIf(answers, signal('soil_moisture', 'lt', number(answers, 'limit'))) },
        minutes(answers, 'each'),
      ),
      actions: allOn(answers, 'valves', devices),
    }),
  },
  fogPulses: {
    needs: ['humidity'],
    asks: () => [
      {
        kind: 'devices',
        name: 'foggers',
        types: ['fogger', 'valve', 'pump', 'fan'],
        called: FOG,
        many: true,
      },
      { kind: 'value', name: 'limit', sensor: 'humidity', compared: 'below', start: 60 },
      { kind: 'number', name: 'seconds', unit: 'seconds', start: 30, min: 1, max: 600 },
      { kind: 'number', name: 'every', unit: 'minutes', start: 10, min: 1, max: 720 },
      ...daytime,
      unknown,
    ],
    make: (answers, devices) => ({
      ...byClock(
        'every',
        { ...every(answers), ...onlyIf(answers, signal('humidity', 'lt', number(answers, 'limit'))) },
        number(answers, 'seconds'),
      ),
      actions: allOn(answers, 'foggers', devices),
    }),
  },
  mistNursery: {
    asks: () => [
      { kind: 'devices', name: 'misters', types: ['fogger', 'valve', 'pump'], called: FOG, many: true },
      { kind: 'number', name: 'seconds', unit: 'seconds', start: 10, min: 1, max: 600 },
      { kind: 'number', name: 'every', unit: 'minutes', start: 20, min: 1, max: 720 },
      ...daytime,
    ],
    make: (answers, devices) => ({
      ...byClock('every', every(answers), number(answers, 'seconds')),
      actions: allOn(answers, 'misters', devices),
    }),
  },
  windVent: {
    needs: ['temperature'],
    needsAny: ['wind_speed', 'rain_rate'],
    asks: (measured) => [
      { kind: 'devices', name: 'vents', types: ['vent', 'curtain', 'fan'], not: SPECIAL, many: true },
      { kind: 'value', name: 'limit', sensor: 'temperature', compared: 'above', start: 30 },
      ...(measured.includes('wind_speed')
        ? [{ kind: 'value', name: 'wind', sensor: 'wind_speed', compared: 'below', start: 8 } as const]
        : []),
      ...(measured.includes('rain_rate')
        ? [{ kind: 'value', name: 'rain', sensor: 'rain_rate', compared: 'below', start: 1 } as const]
        : []),
    ],
    make: (answers, devices) => {
      const weather = (['wind', 'rain'] as const).flatMap((name) =>
        answers.numbers[name] === undefined
          ? []
          : [[name === 'wind' ? 'wind_speed' : 'rain_rate', number(answers, name)] as const],
      );
      const limit = number(answers, 'limit');
      return {
        ...byCondition(
          group(
            'all',
            [
              signal('temperature', 'gt', limit),
              ...weather.map(([type, value]) => signal(type, 'lt', value)),
            ],
            120,
          ),
          group(
            'any',
            [
              signal('temperature', 'lt', limit - 3),
              ...weather.map(([type, value]) => signal(type, 'gte', value)),
            ],
            30,
          ),
        ),
        actions: allOn(answers, 'vents', devices),
      };
    },
  },
  ventCurve: {
    needs: ['temperature'],
    asks: () => [
      { kind: 'devices', name: 'vents', types: ['vent', 'curtain'], not: SPECIAL, many: true, far: true },
      { kind: 'value', name: 'opens', sensor: 'temperature', compared: 'starts', start: 24 },
      { kind: 'value', name: 'full', sensor: 'temperature', compared: 'opened', start: 32, over: 'opens' },
    ],
    make: (answers, devices) => {
      const [opens, full] = [number(answers, 'opens'), number(answers, 'full')];
      return {
        ...byCondition(
          groupOf(signal('temperature', 'gt', opens), 60),
          groupOf(signal('temperature', 'lt', opens - 2), 60),
        ),
        actions: keyed((answers.devices.vents ?? []).map((id) => following(id, devices, [opens, full]))),
      };
    },
  },
  heatNight: {
    needs: ['temperature'],
    asks: () => [
      {
        kind: 'devices',
        name: 'heaters',
        types: ['heater', 'fan', 'valve', 'pump'],
        called: HEATER,
        must: true,
        many: true,
      },
      { kind: 'value', name: 'limit', sensor: 'temperature', compared: 'below', start: 12 },
    ],
    make: (answers, devices) => ({
      ...byCondition(
        group(
          'all',
          [signal('temperature', 'lt', number(answers, 'limit')), window(sunAt('sunset'), sunAt('sunrise'))],
          300,
        ),
        group(
          'any',
          [
            signal('temperature', 'gt', number(answers, 'limit') + 2),
            window(sunAt('sunrise'), sunAt('sunset')),
          ],
          120,
        ),
      ),
      actions: allOn(answers, 'heaters', devices),
    }),
  },
  shadeNet: {
    needs: ['light_intensity'],
    asks: () => [
      {
        kind: 'devices',
        name: 'shades',
        types: ['shade', 'vent', 'fan'],
        called: SHADE,
        must: true,
        many: true,
      },
      { kind: 'value', name: 'limit', sensor: 'light_intensity', compared: 'above', start: 50_000 },
      ...daytime,
    ],
    make: (answers, devices) => {
      const [from, to] = [answers.times.from ?? clockAt(''), answers.times.to ?? clockAt('')];
      const limit = number(answers, 'limit');
      return {
        ...byCondition(
          group('all', [signal('light_intensity', 'gt', limit), window(from, to)], 600),
          // A cloud is no reason to open it again.
          group('any', [signal('light_intensity', 'lt', Math.round(limit * 0.6)), window(to, from)], 600),
        ),
        actions: allOn(answers, 'shades', devices),
      };
    },
  },
  frostGuard: {
    needs: ['temperature'],
    asks: () => [
      {
        kind: 'devices',
        name: 'guards',
        types: ['heater', 'fogger', 'pump', 'valve', 'fan'],
        called: new RegExp(`${HEATER.source}|${FOG.source}|${SPRINKLER.source}`, 'iu'),
        many: true,
      },
      { kind: 'devices', name: 'vents', types: ['vent', 'curtain'], not: SHADE, many: true, optional: true },
      { kind: 'value', name: 'limit', sensor: 'temperature', compared: 'below', start: 4 },
    ],
    make: (answers, devices) => ({
      ...byCondition(
        groupOf(signal('temperature', 'lt', number(answers, 'limit')), 120),
        groupOf(signal('temperature', 'gt', number(answers, 'limit') + 2), 600),
      ),
      actions: keyed([...(answers.devices.vents ?? []).map(off), ...allOn(answers, 'guards', devices)]),
      priority: STRONG,
      // In a frost it is worse to stop than to go on.
      on_signal_lost: 'hold',
    }),
  },
};
