// The stages of a crop in a form: each with its days and what the crop wants in it. A new cycle can take those of a template.
import { Button, Fieldset, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import Add from '~icon/Plus';
import Remove from '~icon/Trash';
import { type SensorTypeName, sensorTypes, useDomain } from '../../i18n/domain';
import type { OwnFieldProps } from './field';
import { recordsQuery, type Schemas } from './kind';
import classes from './Lines.module.css';
import { newKey, type TypedStage, typedStages } from './stages';
import { templateCalls } from './template';

export function StagesField({ form, farmId, name, label }: OwnFieldProps) {
  const { t } = useTranslation();
  const { quantity } = useDomain();
  const stages = form.getValues()[name] as TypedStage[];
  const set = (change: TypedStage[]) => {
    form.clearErrors();
    form.setFieldValue(name, change);
  };
  const edit = (at: number, change: Partial<TypedStage>) =>
    set(stages.map((stage, i) => (i === at ? { ...stage, ...change } : stage)));
  const error = (path: string) => form.errors[path];
  return (
    <Fieldset legend={label} className={classes['lines']}>
      {'zoneId' in form.getValues() && stages.length === 0 && (
        <FromTemplate
          farmId={farmId}
          take={(template) => {
            set(typedStages(template.stages));
            if (!form.getValues()['crop']) form.setFieldValue('crop', template.crop);
            if (!form.getValues()['variety']) form.setFieldValue('variety', template.variety ?? '');
          }}
        />
      )}
      {error(name) && <p className={classes['error']}>{error(name)}</p>}
      {stages.map((stage, i) => (
        <div key={stage.key} className={classes['line']}>
          <div className={classes['wide']}>
            <TextInput
              label={t('stages.name')}
              value={stage.name}
              onChange={({ currentTarget }) => edit(i, { name: currentTarget.value })}
              error={error(`stages[${i}].name`)}
            />
            <TextInput
              label={t('stages.days')}
              inputMode="numeric"
              value={stage.days}
              onChange={({ currentTarget }) => edit(i, { days: currentTarget.value })}
              error={error(`stages[${i}].days`)}
            />
          </div>
          {stage.setpoints.map((setpoint, n) => {
            const at = `stages[${i}].setpoints[${n}]`;
            const change = (changed: Partial<typeof setpoint>) =>
              edit(i, { setpoints: stage.setpoints.map((s, k) => (k === n ? { ...s, ...changed } : s)) });
            return (
              <div key={setpoint.key} className={classes['range']}>
                <NativeSelect
                  label={t('stages.measure')}
                  value={setpoint.sensorType}
                  onChange={({ currentTarget }) =>
                    change({ sensorType: currentTarget.value as SensorTypeName })
                  }
                  data={sensorTypes.map((value) => ({ value, label: quantity(value) }))}
                  error={error(`${at}.sensorType`)}
                />
                <TextInput
                  label={t('stages.min')}
                  inputMode="decimal"
                  value={setpoint.min}
                  onChange={({ currentTarget }) => change({ min: currentTarget.value })}
                  error={error(`${at}.min`)}
                />
                <TextInput
                  label={t('stages.max')}
                  inputMode="decimal"
                  value={setpoint.max}
                  onChange={({ currentTarget }) => change({ max: currentTarget.value })}
                  error={error(`${at}.max`)}
                />
                <Button
                  variant="subtle"
                  color="var(--h-bad)"
                  aria-label={t('stages.removeSetpoint', {
                    name: quantity(setpoint.sensorType),
                  })}
                  onClick={() => edit(i, { setpoints: stage.setpoints.filter((_, k) => k !== n) })}
                >
                  <Remove size={20} aria-hidden />
                </Button>
              </div>
            );
          })}
          <div className={classes['tools']}>
            <Button
              variant="subtle"
              leftSection={<Add size={18} aria-hidden />}
              onClick={() => {
                const used = new Set(stage.setpoints.map(({ sensorType }) => sensorType));
                const sensorType = sensorTypes.find((type) => !used.has(type)) ?? 'temperature';
                edit(i, { setpoints: [...stage.setpoints, { key: newKey(), sensorType, min: '', max: '' }] });
              }}
            >
              {t('stages.addSetpoint')}
            </Button>
            <Button
              variant="subtle"
              color="var(--h-bad)"
              aria-label={t('stages.remove', { name: stage.name })}
              onClick={() => set(stages.filter((_, k) => k !== i))}
            >
              <Remove size={20} aria-hidden />
            </Button>
          </div>
        </div>
      ))}
      <Button
        variant="default"
        leftSection={<Add size={20} aria-hidden />}
        onClick={() => set([...stages, { key: newKey(), name: '', days: '', setpoints: [] }])}
      >
        {t('stages.add')}
      </Button>
    </Fieldset>
  );
}

function FromTemplate({ farmId, take }: { farmId: string; take: (template: Schemas['Template']) => void }) {
  const { t } = useTranslation();
  const { data = [] } = useQuery(recordsQuery(farmId, templateCalls));
  if (data.length === 0) return null;
  return (
    <NativeSelect
      label={t('cycles.template')}
      value=""
      onChange={({ currentTarget }) => {
        const chosen = data.find(({ id }) => id === currentTarget.value);
        if (chosen) take(chosen);
      }}
      data={[
        { value: '', label: t('cycles.noTemplate') },
        ...data.map(({ id, name }) => ({ value: id, label: name })),
      ]}
    />
  );
}
