// What most rules leave as it is: description, mode, priority, whose sensors are watched, and what happens without readings.
import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { HINT_BELOW } from '../../screen/condition/fields';
import { PlaceField } from '../../screen/condition/PlaceField';
import type { FarmThings } from './farm';
import type { RuleForm } from './form';
import { aloneIn } from './leaves';
import classes from './RuleEditor.module.css';

/** The fields in it. */
const PATHS = [
  'description',
  'mode',
  'priority',
  'scope',
  'trigger.of.0.scope',
  'stop_condition.of.0.scope',
  'on_signal_lost',
];

export function MoreFields({ form, things }: { form: RuleForm; things: FarmThings }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const { starts, trigger, stops, stop_condition } = form.values;
  // Folded, a mistake inside could not be seen.
  const wrong = PATHS.some((path) => form.errors[path]);
  const wide = { inputWrapperOrder: HINT_BELOW, className: classes['wide'] ?? '' };
  return (
    <details
      className={classes['more']}
      open={open || wrong}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{t('rules.more')}</summary>
      <div className={classes['fields']}>
        <Textarea
          {...form.getInputProps('description')}
          {...wide}
          label={t('rules.editor.description')}
          description={t('form.optional')}
          autosize={false}
          rows={2}
        />
        <TextInput
          {...form.getInputProps('priority')}
          label={t('rules.editor.priority')}
          description={t('rules.editor.priorityHint')}
          inputWrapperOrder={HINT_BELOW}
          type="number"
          inputMode="numeric"
          required
          min={1}
          max={10}
          step={1}
        />
        <NativeSelect
          {...form.getInputProps('mode')}
          label={t('rules.editor.mode')}
          description={t('rules.editor.modeHint')}
          inputWrapperOrder={HINT_BELOW}
          data={[
            { value: 'auto', label: t('rules.active') },
            { value: 'disabled', label: t('rules.disabled') },
          ]}
        />
        <PlaceField
          form={form}
          path="scope"
          label={t('rules.editor.place')}
          hint={t('rules.editor.placeHint')}
          houses={things.houses}
        />
        {starts === 'condition' && aloneIn(trigger) && (
          <PlaceField
            form={form}
            path="trigger.of.0.scope"
            label={t('rules.triggerPlace')}
            houses={things.houses}
            inherited={t('rules.editor.asRule')}
          />
        )}
        {stops && aloneIn(stop_condition) && (
          <PlaceField
            form={form}
            path="stop_condition.of.0.scope"
            label={t('rules.stopPlace')}
            houses={things.houses}
            inherited={t('rules.editor.asTrigger')}
          />
        )}
        <NativeSelect
          {...form.getInputProps('on_signal_lost')}
          label={t('rules.editor.lost')}
          data={[
            { value: 'stop', label: t('rules.editor.lostStop') },
            { value: 'hold', label: t('rules.editor.lostHold') },
          ]}
        />
      </div>
    </details>
  );
}
