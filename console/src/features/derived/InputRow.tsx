// An input of a derived sensor: what is measured first, then the place or the sensor that measures it.
import { ActionIcon, NativeSelect, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import Remove from '~icon/Trash';
import type { SensorReading } from '../../api/readings';
import { type PlaceNames, type SensorTypeName, sensorTypes, useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { allPlaces, placeKey, sensorsIn } from '../../screen/place';
import { useSensorNames } from '../../screen/sensors';
import classes from './Derived.module.css';
import type { Form } from './DerivedForm';
import { type InputValues, specOf } from './derived';

interface Option {
  value: string;
  label: string;
}

/** What an input can be, by what is measured. */
export interface Sources {
  /** What the farm measures. */
  types: readonly SensorTypeName[];
  of: (type: SensorTypeName) => { here: Option; places: Option[]; sensors: Option[] };
}

export function useSources(sensors: readonly SensorReading[], polyhouses: PlaceNames, own: string): Sources {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const called = useSensorNames(sensors);
  const places = allPlaces(polyhouses);
  return {
    types: sensorTypes.filter((type) => sensors.some((sensor) => sensor.type === type)),
    of: (type) => {
      const fitting = sensors.filter((sensor) => sensor.type === type);
      const measured = places.filter((place) => sensorsIn(fitting, place, polyhouses).length > 0);
      const here = measured.find((place) => placeKey(place) === own);
      const isNear = (sensor: SensorReading) => here && sensorsIn([sensor], here, polyhouses).length > 0;
      const named = fitting
        .map((sensor) => ({
          value: `sensor:${sensor.id}`,
          near: isNear(sensor) ? 0 : 1,
          label: t('derived.at', {
            what: called(sensor),
            place: words.placePath(sensor.scope, polyhouses),
          }),
        }))
        .sort((a, b) => a.near - b.near || format.compare(a.label, b.label));
      return {
        here: {
          value: '',
          label: here
            ? t('derived.here', { place: words.placePath(here, polyhouses) })
            : t('derived.notHere'),
        },
        places: measured
          .filter((place) => place !== here)
          .map((place) => ({
            value: `place:${placeKey(place)}`,
            label: words.placePath(place, polyhouses),
          })),
        sensors: named.map(({ value, label }) => ({ value, label })),
      };
    },
  };
}

interface Props {
  form: Form;
  nth: number;
  input: InputValues;
  sources: Sources;
}

/** What a kind calls its input. */
const labels = {
  temperature: 'derived.input.temperature',
  humidity: 'derived.input.humidity',
  light: 'derived.input.light',
  input: 'derived.input.input',
  a: 'derived.input.a',
  b: 'derived.input.b',
} as const;

export function InputRow({ form, nth, input, sources }: Props) {
  const { t } = useTranslation();
  const words = useDomain();
  const { kind } = form.values;
  const isFormula = kind === 'formula';
  const spec = specOf(kind).inputs.find(({ name }) => name === input.name);
  const types = spec?.types.length ? spec.types : sources.types;
  const key = input.name as keyof typeof labels;
  const label =
    isFormula || !(key in labels) ? t('derived.input.named', { name: input.name }) : t(labels[key]);
  const set = (change: Partial<InputValues>) => {
    form.clearFieldError(`inputs.${nth}`);
    form.setFieldValue(`inputs.${nth}`, { ...input, ...change });
  };
  const error = form.errors[`inputs.${nth}`];
  const { here, places, sensors } = input.type === '' ? none : sources.of(input.type);
  const measures = (
    <NativeSelect
      label={t('derived.quantity', { input: label })}
      value={input.type}
      error={input.type === '' && error}
      data={[
        ...(input.type === '' ? [{ value: '', label: t('derived.choose') }] : []),
        ...types.map((type) => ({ value: type, label: words.quantity(type) })),
      ]}
      onChange={(event) => set({ type: event.currentTarget.value as SensorTypeName, source: '' })}
    />
  );
  const source = input.type !== '' && (
    <NativeSelect
      label={label}
      value={input.source}
      error={error}
      data={[
        here,
        ...(places.length > 0 ? [{ group: t('derived.places'), items: places }] : []),
        ...(sensors.length > 0 ? [{ group: t('derived.sensors'), items: sensors }] : []),
      ]}
      onChange={(event) => set({ source: event.currentTarget.value })}
    />
  );
  if (!isFormula)
    return (
      <>
        {types.length > 1 && measures}
        {source}
      </>
    );
  return (
    <div className={classes['row']} data-input={input.name}>
      <div className={classes['pair']}>
        <TextInput
          label={t('derived.inputName')}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={input.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
        <ActionIcon
          variant="subtle"
          color="var(--h-bad)"
          size="3rem"
          aria-label={t('derived.removeInput', { name: input.name })}
          onClick={() => form.removeListItem('inputs', nth)}
        >
          <Remove size={22} aria-hidden />
        </ActionIcon>
      </div>
      {measures}
      {source}
    </div>
  );
}

const none = { here: { value: '', label: '' }, places: [], sensors: [] };
