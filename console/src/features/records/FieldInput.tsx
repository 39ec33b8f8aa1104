// One field of a record's form, and the lines of one that is a list.
import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import Add from '~icon/Plus';
import Remove from '~icon/Trash';
import { polyhousesQuery } from '../../api/queries';
import { useFormat } from '../../i18n/format';
import { type Choice, useCycles, useItems } from './chosen';
import { another, type BesideProps, type Field, type Line, type ListField } from './field';
import classes from './Lines.module.css';

interface Props extends BesideProps {
  field: Field;
}

/** A field; `name` is its path in the form. */
export function FieldInput({ field, ...props }: Props) {
  const { before: Before, after: After } = field;
  return (
    <>
      {Before && <Before {...props} />}
      {field.kind === 'list' ? <Lines {...props} field={field} /> : <Input {...props} field={field} />}
      {After && <After {...props} />}
    </>
  );
}

function Input({ field, form, farmId, name }: BesideProps & { field: Exclude<Field, ListField> }) {
  const { t } = useTranslation();
  const { required, hint, about: About, wide } = field;
  const common = {
    name,
    label: t(field.label),
    description: About ? <About values={form.values} farmId={farmId} /> : hint && t(hint),
    withAsterisk: required === true,
    className: wide && classes['wide'],
    ...(form.getInputProps(name) as { value: string; onChange: (event: unknown) => void; error?: string }),
  };
  switch (field.kind) {
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
          inputMode={modes[field.kind]}
          autoComplete="off"
          leftSection={field.kind === 'rupees' ? t('records.rupeeSign') : undefined}
        />
      );
  }
}

/** What a phone's keyboard offers; that for decimals has no minus everywhere. */
const modes = { count: 'numeric', decimal: 'decimal', rupees: 'decimal', reading: 'text' } as const;

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

function Lines({ field, form, farmId, name }: BesideProps & { field: ListField }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { value: lines, error } = form.getInputProps(name) as { value: Line[]; error?: string };
  const { fields, least = 0, most, nth: title, sum: Sum } = field;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset of its own would draw a border around those of the lines
    <div role="group" className={classes['lines']} aria-label={t(field.label)}>
      {lines.map((line, at) => {
        const nth = format.count(at + 1);
        return (
          <fieldset key={line.key} className={classes['line']}>
            {title && <legend>{t(title, { nth })}</legend>}
            {fields.map((each) => (
              <FieldInput
                key={each.name}
                field={each}
                form={form}
                farmId={farmId}
                name={`${name}.${at}.${each.name}`}
              />
            ))}
            <div className={classes['foot']}>
              <span>{Sum && <Sum line={line} />}</span>
              {lines.length > least && (
                <Button
                  variant="subtle"
                  color="var(--h-bad)"
                  leftSection={<Remove size={20} aria-hidden />}
                  aria-label={t(field.removeNth, { nth })}
                  onClick={() => form.removeListItem(name, at)}
                >
                  {t('records.remove')}
                </Button>
              )}
            </div>
          </fieldset>
        );
      })}
      {lines.length < most && (
        <Button
          variant="default"
          leftSection={<Add size={20} aria-hidden />}
          onClick={() => form.insertListItem(name, another(field, lines))}
        >
          {t(field.add)}
        </Button>
      )}
      {error && <p className={classes['problem']}>{error}</p>}
    </div>
  );
}
