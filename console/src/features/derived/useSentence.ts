// What a derived sensor is made of, in one sentence.
import { useTranslation } from 'react-i18next';
import type { SensorReading } from '../../api/readings';
import type { components } from '../../api/schema';
import { type Place, type PlaceNames, type SensorTypeName, useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { chartOf, placeKey, sensorsIn } from '../../screen/place';
import { useSensorNames } from '../../screen/sensors';
import { type DerivedSensor, freshOf } from './derived';

type Source = components['schemas']['DerivedInput'];

/** An input: what it is called in the formula, what it is, and where its chart is. */
export interface InputWords {
  name: string;
  words: string;
  /** The sensor, where it is one. */
  sensor: SensorReading | undefined;
  chart: string;
}

export function useInputs(
  sensors: readonly SensorReading[],
  polyhouses: PlaceNames,
): (derived: DerivedSensor) => InputWords[] {
  const { t } = useTranslation();
  const words = useDomain();
  const called = useSensorNames(sensors);
  // Where nothing else is said, it is measured where the derived sensor is.
  const at = (what: string, place: Source['scope'], own: Place) =>
    place && placeKey(place) !== placeKey(own)
      ? t('derived.inPlace', { what, place: words.placeInText(place, polyhouses) })
      : what;
  return (derived) => {
    const near = sensorsIn(sensors, derived.scope, polyhouses);
    const { inputs } = freshOf(derived.kind, (type) => near.some((sensor) => sensor.type === type));
    const order = inputs.map(({ name }) => name);
    const left = inputs.filter(({ name }) => !(name in derived.inputs));
    const all = [
      ...left.map(({ name, type }): [string, Source] => [
        name,
        { scope: derived.scope, type: type === '' ? null : type },
      ]),
      ...Object.entries(derived.inputs),
    ];
    all.sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
    return all.map(([name, source]) => {
      const sensor = sensors.find(({ id }) => id === source.sensor);
      const type = (sensor?.type ?? source.type ?? 'number') as SensorTypeName;
      const scope = sensor?.scope ?? source.scope;
      const said = sensor ? called(sensor) : source.sensor ? source.sensor : words.quantity(type);
      return {
        name,
        sensor,
        words: source.sensor && !sensor ? said : at(said, scope, derived.scope),
        chart: chartOf(type, scope),
      };
    });
  };
}

export function useSentence(): (derived: DerivedSensor, inputs: readonly InputWords[]) => string {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  return (derived, inputs) => {
    const { kind, constants, formula } = derived;
    const named = Object.fromEntries(inputs.map((input) => [input.name, input.words]));
    const usual = new Map(freshOf(kind).constants.map(({ name, text }) => [name, Number(text)]));
    const constant = (name: string) => constants[name] ?? usual.get(name) ?? Number.NaN;
    const of = (name: string) => named[name] ?? '';
    const air = { temperature: of('temperature'), humidity: of('humidity') };
    const minutes = words.duration(Math.round(constant('minutes') * 60));
    switch (kind) {
      case 'leaf_vpd':
        return t('derived.sentence.leaf', {
          ...air,
          offset: words.amount('temperature', constant('leaf_offset')),
        });
      case 'wet_bulb':
        return t('derived.sentence.wetBulb', { ...air, pressure: format.reading(constant('pressure')) });
      case 'daily_light':
        return t('derived.sentence.daily_light', { light: of('light') });
      case 'degree_days':
        return t('derived.sentence.degree_days', {
          temperature: air.temperature,
          base: words.amount('temperature', constant('base')),
          upper: words.amount('temperature', constant('upper')),
        });
      case 'moving_mean':
        return t('derived.sentence.moving_mean', { input: of('input'), minutes });
      case 'rate_of_change':
        return t('derived.sentence.rate_of_change', { input: of('input'), minutes });
      case 'time_above': {
        const [input] = inputs;
        const value = constant('threshold');
        const type = input?.sensor?.type ?? derived.inputs[input?.name ?? '']?.type;
        const threshold = type ? words.amount(type as SensorTypeName, value) : format.reading(value);
        return t('derived.sentence.time_above', { input: of('input'), threshold });
      }
      case 'difference':
        return t('derived.sentence.difference', { a: of('a'), b: of('b') });
      case 'formula': {
        const numbers = Object.entries(constants).map(([name, value]) => ({
          name,
          is: format.reading(value),
        }));
        const names = [...inputs.map(({ name, words: is }) => ({ name, is })), ...numbers].map((one) =>
          t('derived.sentence.name', one),
        );
        const text = { formula: formula ?? '', names: format.list(names) };
        return t(names.length > 0 ? 'derived.sentence.formulaOf' : 'derived.sentence.formula', text);
      }
      default:
        return t('derived.sentence.air', air);
    }
  };
}
