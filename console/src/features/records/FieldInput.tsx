// One field of a record's form.
import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { polyhousesQuery } from '../../api/queries';
import { type Choice, useCycles, useItems } from './chosen';
import type { Field, RecordForm } from './field';

interface Props {
  field: Field;
  form: RecordForm;
  farmId: string;
}

export function FieldInput({ field, form, farmId }: Props) {
  const { t } = useTranslation();
  const { name, required, hint, about: About } = field;
  const common = {
    name,
    label: t(field.label),
    description: About ? <About values={form.values} farmId={farmId} /> : hint && t(hint),
    withAsterisk: required === true,
    ...(form.getInputProps(name) as { value: string; onChange: (event: unknown) => void; error?: string }),
  };
  switch (field.kind) {
    case 'own': {
      const Own = field.component;
      return <Own form={form} farmId={farmId} name={name} label={common.label} />;
    }
    case 'choice': {
      const options = Object.entries(field.options).map(([value, label]) => ({ value, label: t(label) }));
      return <NativeSelect {...common} data={[nothing(required, t('records.choose')), ...options]} />;
    }
    case 'zone':
      return <Zones {...common} farmId={farmId} />;
    case 'cycle':
      return <Chosen {...common} use={useCycles} farmId={farmId} optional={!required} />;
    case 'item':
      return <Chosen {...common} use={useItems} farmId={farmId} optional={!required} />;
    case 'lines':
      return <Textarea {...common} rows={3} resize="vertical" />;
    case 'day':
      return <TextInput {...common} type="date" />;
    case 'line':
      return <TextInput {...common} autoComplete="off" />;
    default:
      return (
        <TextInput
          {...common}
          inputMode={field.kind === 'count' ? 'numeric' : 'decimal'}
          autoComplete="off"
          leftSection={field.kind === 'rupees' ? t('records.rupeeSign') : undefined}
        />
      );
  }
}

const nothing = (required: boolean | undefined, choose: string) => ({
  value: '',
  label: choose,
  disabled: required === true,
});

type Common = Omit<Parameters<typeof NativeSelect>[0], 'data'>;

function Zones({ farmId, ...common }: Common & { farmId: string }) {
  const { t } = useTranslation();
  const { data = [] } = useQuery(polyhousesQuery(farmId));
  const groups = data.map(({ name, zones }) => ({
    group: name,
    items: zones.map(({ id, name: zone }) => ({ value: id, label: zone })),
  }));
  return <NativeSelect {...common} data={[nothing(true, t('records.choose')), ...groups]} />;
}

function Chosen({
  use,
  farmId,
  optional,
  ...common
}: Common & { use: (farmId: string) => Choice[]; farmId: string; optional: boolean }) {
  const { t } = useTranslation();
  const all = use(farmId);
  const chosen = String(common.value ?? '');
  // What was chosen once stays, though it can be chosen anew no more.
  const options = all.filter(({ value, open }) => open || value === chosen);
  return (
    <NativeSelect
      {...common}
      data={[
        nothing(!optional, t('records.choose')),
        ...options.map(({ value, label }) => ({ value, label })),
      ]}
    />
  );
}
