// The form of a derived sensor: what it should tell, where, from what; and what it would say now, while one types.
import { NativeSelect, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import type { SensorReading } from '../../api/readings';
import { type Place, type PlaceNames, type SensorTypeName, useDomain } from '../../i18n/domain';
import { FormDialog } from '../../screen/FormDialog';
import { allPlaces, placeKey, sensorsIn } from '../../screen/place';
import {
  type DerivedSensor,
  type DerivedValues,
  documentOf,
  freshOf,
  type KindName,
  kinds,
  missing,
  outputs,
  pathOf,
  specOf,
  valuesOf,
} from './derived';
import { FormulaField } from './FormulaField';
import { InputRow, useSources } from './InputRow';
import { NumberRows } from './NumberRows';
import { checkQuery } from './queries';
import { Trial } from './Trial';

interface Props {
  farmId: string;
  opened: boolean;
  onClose: () => void;
  derived: DerivedSensor | undefined;
  sensors: readonly SensorReading[];
  polyhouses: PlaceNames;
}

/** How long nothing is typed before it is tried. */
const TRY_AFTER_MS = 400;

export type Form = UseFormReturnType<DerivedValues>;

export function DerivedForm({ farmId, derived, sensors, polyhouses, ...dialog }: Props) {
  const { t } = useTranslation();
  const nameOf = useSuggestedName(polyhouses);
  const places = allPlaces(polyhouses);
  const typeOf = (id: string) =>
    sensors.find((sensor) => sensor.id === id)?.type as SensorTypeName | undefined;
  // The first house that measures what the first kind needs.
  const begin = places.find(
    (place) =>
      place.type === 'polyhouse' &&
      sensorsIn(sensors, place, polyhouses).some(({ type }) => type === 'humidity'),
  );
  return (
    <FormDialog<DerivedSensor, DerivedValues>
      {...dialog}
      farmId={farmId}
      title={t(derived ? 'derived.edit' : 'derived.add')}
      failed={t('derived.saveFailed')}
      known={derived}
      values={(known) => valuesOf(known, known?.scope ?? begin ?? { type: 'farm' }, typeOf)}
      check={(values) => {
        const { numbers, choices, formula } = missing(values);
        return Object.fromEntries([
          ...numbers.map((path) => [path, t('derived.numberNeeded')]),
          ...choices.map((path) => [path, t('derived.inputNeeded')]),
          ['formula', formula && t('derived.formulaNeeded')],
        ]);
      }}
      pathOf={pathOf}
      save={(values, known, headers) => {
        const body = documentOf(values, places, nameOf(values, places));
        return known
          ? api.PUT('/api/farms/{farmId}/derived-sensors/{derivedId}', {
              params: { path: { farmId, derivedId: known.id } },
              headers,
              body,
            })
          : api.POST('/api/farms/{farmId}/derived-sensors', { params: { path: { farmId } }, headers, body });
      }}
    >
      {(form, known) => (
        <Fields
          farmId={farmId}
          form={form}
          known={known}
          sensors={sensors.filter(({ id }) => id !== known?.sensorId)}
          polyhouses={polyhouses}
        />
      )}
    </FormDialog>
  );
}

/** What one is called to whom nobody gives a name: what it gives, and where. */
function useSuggestedName(polyhouses: PlaceNames) {
  const { t } = useTranslation();
  const words = useDomain();
  return (values: DerivedValues, places: readonly Place[]) => {
    const place = places.find((one) => placeKey(one) === values.scope) ?? { type: 'farm' as const };
    const type = values.kind === 'formula' ? values.type : specOf(values.kind).type;
    const [input] = values.inputs;
    // A mean or a difference is a number; of what says more.
    const what = type === 'number' && input?.type ? input.type : type;
    return t('derived.suggested', {
      what: words.quantity(what),
      place: words.placePath(place, polyhouses),
    });
  };
}

interface FieldsProps {
  farmId: string;
  form: Form;
  known: DerivedSensor | undefined;
  sensors: readonly SensorReading[];
  polyhouses: PlaceNames;
}

function Fields({ farmId, form, known, sensors, polyhouses }: FieldsProps) {
  const { t } = useTranslation();
  const words = useDomain();
  const places = allPlaces(polyhouses);
  const { values } = form;
  const isFormula = values.kind === 'formula';
  const name = useSuggestedName(polyhouses)(values, places);
  const sources = useSources(sensors, polyhouses, values.scope);
  const lacks = missing(values);
  const isWhole = lacks.numbers.length + lacks.choices.length === 0 && !lacks.formula;
  // By its own name it is tried in its own place: it is no second one of itself.
  const document = documentOf(values, places, name);
  const [tried] = useDebouncedValue(
    isWhole ? JSON.stringify({ ...document, name: known?.name ?? document.name }) : '',
    TRY_AFTER_MS,
  );
  const trial = useQuery(checkQuery(farmId, tried));
  const mistake = trial.data?.problems.find(({ path }) => path === 'formula');
  return (
    <>
      <NativeSelect
        label={t('derived.what')}
        name="kind"
        data-autofocus
        value={values.kind}
        error={form.errors['kind']}
        data={kinds.map((kind) => ({ value: kind, label: t(`derived.kind.${kind}`) }))}
        onChange={(event) => {
          const kind = event.currentTarget.value as KindName;
          form.clearErrors();
          form.setValues({ kind, ...freshOf(kind, (type) => sources.types.includes(type)) });
        }}
      />
      <NativeSelect
        label={t('derived.place')}
        description={t('derived.placeHint')}
        name="scope"
        data={places.map((place) => ({
          value: placeKey(place),
          label: words.placePath(place, polyhouses),
        }))}
        {...form.getInputProps('scope')}
      />
      {isFormula && <FormulaField form={form} mistake={isWhole && tried ? mistake : undefined} />}
      {values.inputs.map((input, nth) => (
        <InputRow
          // biome-ignore lint/suspicious/noArrayIndexKey: a formula's inputs are renamed while one types
          key={nth}
          form={form}
          nth={nth}
          input={input}
          sources={sources}
        />
      ))}
      {typeof form.errors['inputs'] === 'string' && (
        <p role="alert" data-wrong tabIndex={-1} style={{ color: 'var(--h-bad)' }}>
          {form.errors['inputs']}
        </p>
      )}
      <NumberRows form={form} sensors={sensors} />
      {isFormula && (
        <NativeSelect
          label={t('derived.gives')}
          name="type"
          data={outputs.map((type) => {
            const unit = words.unit(type);
            const what = words.quantity(type);
            return { value: type, label: unit ? t('derived.at', { what, place: unit }) : what };
          })}
          {...form.getInputProps('type')}
        />
      )}
      <Trial values={values} trial={isWhole && tried ? trial.data : undefined} error={trial.error} />
      <TextInput
        label={t('form.name')}
        description={t('derived.nameHint', { name })}
        name="name"
        maxLength={120}
        autoComplete="off"
        {...form.getInputProps('name')}
      />
      <TextInput
        label={t('derived.interval')}
        name="intervalSec"
        inputMode="numeric"
        autoComplete="off"
        {...form.getInputProps('intervalSec')}
      />
    </>
  );
}
