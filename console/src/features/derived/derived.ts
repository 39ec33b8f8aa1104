// A derived sensor as its form has it, and back into the document without loss.
import type { components } from '../../api/schema';
import { derivedKinds } from '../../i18n/derived-kinds';
import { type Place, type SensorTypeName, sensorTypes } from '../../i18n/domain';
import { placeKey } from '../../screen/place';
import { numberTyped } from '../../ui/wheel';

export type DerivedSensor = components['schemas']['DerivedSensor'];
export type DerivedDocument = components['schemas']['DerivedSensorInput'];
export type KindName = components['schemas']['DerivedKind'];
type Source = components['schemas']['DerivedInput'];

/** What a kind gives, and needs. */
export interface KindSpec {
  type: SensorTypeName;
  /** Of any type where none is said. */
  inputs: readonly { name: string; types: readonly SensorTypeName[] }[];
  constants: readonly { name: string; usual: number | null; min: number; max: number }[];
}

export const kinds: readonly KindName[] = derivedKinds.map(({ kind }) => kind);
const specs = new Map<KindName, KindSpec>(derivedKinds.map((spec) => [spec.kind, spec]));
/** A formula, whose inputs and numbers people name, is in the table too. */
export const specOf = (kind: KindName): KindSpec =>
  specs.get(kind) ?? { type: 'number', inputs: [], constants: [] };

/** What a formula may give: whatever derived sensors give. */
export const outputs: readonly SensorTypeName[] = [
  'number',
  ...sensorTypes.filter((type) => type !== 'number' && derivedKinds.some((kind) => kind.type === type)),
];

/** `source`: empty for the place of the derived sensor itself, else `place:` and its key, or `sensor:` and its id. */
export interface InputValues {
  name: string;
  type: SensorTypeName | '';
  source: string;
}

export interface DerivedValues extends Record<string, unknown> {
  name: string;
  kind: KindName;
  /** The key of its place. */
  scope: string;
  inputs: InputValues[];
  constants: { name: string; text: string }[];
  formula: string;
  /** What a formula gives. */
  type: SensorTypeName;
  intervalSec: string;
}

/** The seconds between two values where nothing is said. */
const INTERVAL = '10';

/** What a kind needs at first: everything of its own place, there the first that is measured, and its usual numbers. */
export function freshOf(
  kind: KindName,
  isMeasured: (type: SensorTypeName) => boolean = () => true,
): Pick<DerivedValues, 'inputs' | 'constants'> {
  const { inputs, constants } = specOf(kind);
  return {
    inputs: inputs.map(({ name, types }) => ({
      name,
      type: types.find(isMeasured) ?? types[0] ?? '',
      source: '',
    })),
    constants: constants.map(({ name, usual }) => ({ name, text: usual === null ? '' : String(usual) })),
  };
}

/** How the form begins, with a derived sensor or for a new one of a place. */
export function valuesOf(
  known: DerivedSensor | undefined,
  place: Place,
  typeOf: (sensor: string) => SensorTypeName | undefined,
): DerivedValues {
  const kind = known?.kind ?? 'vpd';
  const fresh = freshOf(kind);
  const read = (name: string, usual: SensorTypeName | '', source: Source | undefined): InputValues => {
    if (source?.sensor)
      return { name, type: typeOf(source.sensor) ?? usual, source: `sensor:${source.sensor}` };
    if (!source?.scope) return { name, type: usual, source: '' };
    const key = placeKey(source.scope);
    return { name, type: source.type ?? usual, source: key === placeKey(place) ? '' : `place:${key}` };
  };
  const said = known?.inputs ?? {};
  return {
    name: known?.name ?? '',
    kind,
    scope: placeKey(place),
    inputs:
      kind === 'formula'
        ? Object.entries(said).map(([name, source]) => read(name, '', source))
        : fresh.inputs.map(({ name, type }) => read(name, type, said[name])),
    constants:
      kind === 'formula'
        ? Object.entries(known?.constants ?? {}).map(([name, value]) => ({ name, text: String(value) }))
        : fresh.constants.map(({ name, text }) => ({
            name,
            text: known?.constants[name] === undefined ? text : String(known.constants[name]),
          })),
    formula: known?.formula ?? '',
    type: known?.kind === 'formula' ? known.type : 'number',
    intervalSec: known?.intervalSec == null ? INTERVAL : String(known.intervalSec),
  };
}

/** The document; `name` where none was typed. Only of values in which nothing is missing. */
export function documentOf(values: DerivedValues, places: readonly Place[], name: string): DerivedDocument {
  const placeOf = (key: string) =>
    places.find((place) => placeKey(place) === key) ?? { type: 'farm' as const };
  const own = placeOf(values.scope);
  const isFormula = values.kind === 'formula';
  const sources = values.inputs.flatMap(({ name: input, type, source }): [string, Source][] => {
    const [from = '', id = ''] = source.split(/:(.*)/s);
    if (from === 'sensor') return [[input, { sensor: id }]];
    const [usual] = specOf(values.kind).inputs.find((spec) => spec.name === input)?.types ?? [];
    // Left out it is measured where the derived sensor is, wherever that will be.
    if (source === '' && type === usual) return [];
    return type === '' ? [] : [[input, { scope: from === 'place' ? placeOf(id) : own, type }]];
  });
  return {
    name: values.name.trim() || name,
    kind: values.kind,
    scope: own,
    inputs: Object.fromEntries(sources),
    constants: Object.fromEntries(values.constants.map(({ name: of, text }) => [of, numberTyped(text)])),
    intervalSec: numberTyped(values.intervalSec),
    ...(isFormula && { formula: values.formula, type: values.type }),
  };
}

/** What no server has to be asked about: the paths of numbers that are none, of inputs of which nothing is said, and of a formula
 * that is not there. */
export function missing({ kind, inputs, constants, formula, intervalSec }: DerivedValues) {
  const numbers = constants.flatMap(({ text }, nth) =>
    Number.isFinite(numberTyped(text)) ? [] : [`constants.${nth}`],
  );
  if (!Number.isFinite(numberTyped(intervalSec))) numbers.push('intervalSec');
  return {
    numbers,
    choices: inputs.flatMap(({ type }, nth) => (type === '' ? [`inputs.${nth}`] : [])),
    formula: kind === 'formula' && formula.trim() === '',
  };
}

/** Where what the server names stands in the form: inputs and numbers by their place in the list. */
export function pathOf(path: string, { inputs, constants }: DerivedValues): string {
  const [list = '', name = ''] = path.split(/\.(.*)/s);
  const lists = { inputs, constants } as const;
  if (list === 'inputs' || list === 'constants') {
    const nth = lists[list].findIndex((one) => one.name === name);
    // A circle is of all of them.
    return nth < 0 ? path : `${list}.${nth}`;
  }
  return path === 'interval_sec' ? 'intervalSec' : path;
}

/** Formulas to begin with. */
export const examples = {
  mean: {
    formula: '(a + b) / 2',
    inputs: { a: 'temperature', b: 'temperature' },
    constants: {},
    type: 'number',
  },
  spread: {
    formula: 'max(a, b) - min(a, b)',
    inputs: { a: 'temperature', b: 'temperature' },
    constants: {},
    type: 'number',
  },
  dew: {
    formula: 't - dew_point(t, rh)',
    inputs: { t: 'temperature', rh: 'humidity' },
    constants: {},
    type: 'number',
  },
  vpd: {
    formula: 'vpd(t, rh)',
    inputs: { t: 'temperature', rh: 'humidity' },
    constants: {},
    type: 'vapour_pressure_deficit',
  },
  excess: {
    formula: 'if t > limit { t - limit } else { 0 }',
    inputs: { t: 'temperature' },
    constants: { limit: 30 },
    type: 'number',
  },
} as const;
export type ExampleName = keyof typeof examples;
export const exampleNames = Object.keys(examples) as ExampleName[];

export function exampleOf(
  name: ExampleName,
): Pick<DerivedValues, 'formula' | 'inputs' | 'constants' | 'type'> {
  const { formula, inputs, constants, type } = examples[name];
  return {
    formula,
    type,
    inputs: Object.entries(inputs).map(([of, is]) => ({ name: of, type: is, source: '' })),
    constants: Object.entries(constants).map(([of, value]) => ({ name: of, text: String(value) })),
  };
}
