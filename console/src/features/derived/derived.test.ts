// @vitest-environment node
import { describe, expect, it } from 'vitest';
import type { Place, SensorTypeName } from '../../i18n/domain';
import {
  type DerivedSensor,
  documentOf,
  exampleNames,
  exampleOf,
  freshOf,
  kinds,
  missing,
  outputs,
  pathOf,
  valuesOf,
} from './derived';

const house: Place = { type: 'polyhouse', polyhouseId: 'p1' };
const bay: Place = { type: 'zone', polyhouseId: 'p1', zoneId: 'z1' };
const places: Place[] = [{ type: 'farm' }, house, bay];
const typeOf = (id: string): SensorTypeName | undefined => (id === 'rh' ? 'humidity' : undefined);

const derived = (fields: Partial<DerivedSensor>): DerivedSensor => ({
  id: 'd1',
  sensorId: 'derived-d1',
  name: 'Mine',
  kind: 'vpd',
  type: 'vapour_pressure_deficit',
  unit: 'kPa',
  scope: { type: 'polyhouse', polyhouseId: 'p1' },
  inputs: {},
  constants: {},
  formula: null,
  intervalSec: null,
  value: null,
  at: null,
  etag: 'v',
  ...fields,
});

describe('the document', () => {
  it.each<[string, Partial<DerivedSensor>]>([
    ['of its own place', {}],
    ['of a sensor', { inputs: { humidity: { sensor: 'rh' } } }],
    [
      'of a place',
      {
        inputs: {
          temperature: { scope: { type: 'zone', polyhouseId: 'p1', zoneId: 'z1' }, type: 'temperature' },
        },
      },
    ],
    ['every some seconds', { intervalSec: 60 }],
    [
      'of another type than the usual',
      {
        kind: 'daily_light',
        inputs: { light: { scope: { type: 'polyhouse', polyhouseId: 'p1' }, type: 'light_intensity' } },
        constants: { lux_per_par: 60 },
      },
    ],
    ['below zero', { kind: 'leaf_vpd', constants: { leaf_offset: -1.5 } }],
    [
      'a formula',
      {
        kind: 'formula',
        type: 'hours',
        formula: 'a * k',
        inputs: { a: { sensor: 'rh' } },
        constants: { k: 0.5 },
      },
    ],
  ])('comes back as it was: %s', (_, fields) => {
    const before = derived(fields);
    const values = valuesOf(before, house, typeOf);
    expect(missing(values)).toEqual({ numbers: [], choices: [], formula: false });
    const after = documentOf(values, places, 'unused');
    expect(after).toMatchObject({ name: 'Mine', kind: before.kind, inputs: before.inputs, scope: house });
    expect(after.constants).toMatchObject(before.constants);
    expect(after.intervalSec).toBe(before.intervalSec ?? 10);
    expect(after.formula ?? null).toBe(before.formula);
    expect(after.type ?? null).toBe(before.kind === 'formula' ? before.type : null);
  });

  it('follows its place with what is not said of another', () => {
    const values = { ...valuesOf(undefined, house, typeOf), kind: 'formula' as const, ...exampleOf('dew') };
    values.scope = 'zone:p1:z1';
    expect(documentOf(values, places, 'Dew').inputs).toEqual({
      t: { scope: bay, type: 'temperature' },
      rh: { scope: bay, type: 'humidity' },
    });
    expect(documentOf(values, places, 'Dew').name).toBe('Dew');
  });

  it('is not made of what is missing', () => {
    const above = {
      ...valuesOf(undefined, house, typeOf),
      kind: 'time_above' as const,
      ...freshOf('time_above'),
    };
    expect(missing(above)).toEqual({ numbers: ['constants.0'], choices: ['inputs.0'], formula: false });
    const formula = {
      ...above,
      kind: 'formula' as const,
      inputs: [],
      constants: [],
      formula: ' ',
      intervalSec: 'x',
    };
    expect(missing(formula)).toEqual({ numbers: ['intervalSec'], choices: [], formula: true });
  });

  it('takes the digits of Marathi', () => {
    const values = {
      ...valuesOf(undefined, house, typeOf),
      kind: 'leaf_vpd' as const,
      ...freshOf('leaf_vpd'),
    };
    values.constants = [{ name: 'leaf_offset', text: '-१.५' }];
    expect(documentOf(values, places, '').constants).toEqual({ leaf_offset: -1.5 });
  });
});

it('begins with what is measured, where a kind takes several', () => {
  const [light] = freshOf('daily_light', (type) => type === 'light_intensity').inputs;
  expect(light?.type).toBe('light_intensity');
  expect(freshOf('daily_light').inputs[0]?.type).toBe('par');
});

it('finds by name where something is wrong', () => {
  const values = valuesOf(undefined, house, typeOf);
  expect(pathOf('inputs.humidity', values)).toBe('inputs.1');
  expect(pathOf('inputs.other', values)).toBe('inputs.other');
  expect(pathOf('inputs', values)).toBe('inputs');
  expect(pathOf('interval_sec', values)).toBe('intervalSec');
  expect(pathOf('name', values)).toBe('name');
});

it('offers every kind, and formulas whatever derived sensors give', () => {
  expect(kinds).toHaveLength(12);
  expect(outputs).toHaveLength(9);
  for (const name of exampleNames) expect(outputs).toContain(exampleOf(name).type);
});
