// A length of time in minutes and seconds: growers think in minutes, documents in seconds.
import { TextInput } from '@mantine/core';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { DurationFields } from './form';
import { fieldId } from './problems';
import classes from './RuleEditor.module.css';

interface Props {
  label: string;
  /** The path of its problems. */
  path: string;
  value: DurationFields;
  problem: string | undefined;
  onChange: (value: DurationFields) => void;
}

export function DurationField({ label, path, value, problem, onChange }: Props) {
  const { t } = useTranslation();
  const errorId = useId();
  const box = {
    type: 'number',
    inputMode: 'numeric',
    min: 0,
    step: 1,
    error: Boolean(problem),
    ...(problem && { 'aria-describedby': errorId }),
  } as const;
  return (
    <fieldset className={classes['duration']}>
      <legend>{label}</legend>
      <TextInput
        {...box}
        id={fieldId(path)}
        label={t('rules.editor.minutes')}
        value={value.minutes}
        onChange={(event) => onChange({ ...value, minutes: event.currentTarget.value })}
      />
      <TextInput
        {...box}
        label={t('rules.editor.seconds')}
        value={value.seconds}
        onChange={(event) => onChange({ ...value, seconds: event.currentTarget.value })}
      />
      {problem && (
        <p id={errorId} className={classes['problem']}>
          {problem}
        </p>
      )}
    </fieldset>
  );
}
