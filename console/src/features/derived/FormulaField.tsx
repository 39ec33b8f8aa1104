// A formula of one's own, with what is wrong with it at its line and place.
import { Textarea } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../i18n/format';
import classes from './Derived.module.css';
import type { Form } from './DerivedForm';
import { exampleNames, exampleOf } from './derived';
import type { Check } from './queries';

interface Props {
  form: Form;
  /** What the server cannot read or compute of it. */
  mistake: Check['problems'][number] | undefined;
}

export function FormulaField({ form, mistake }: Props) {
  const { t } = useTranslation();
  return (
    <>
      <Textarea
        className={classes['code'] ?? ''}
        label={t('derived.formula')}
        description={t('derived.formulaHint')}
        name="formula"
        rows={3}
        maxLength={2_000}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...form.getInputProps('formula')}
      />
      {mistake && <Mistake formula={form.values.formula} mistake={mistake} />}
      <fieldset className={classes['field']}>
        <legend>{t('derived.examples')}</legend>
        <div className={classes['chips']}>
          {exampleNames.map((name) => (
            <button
              key={name}
              type="button"
              onClick={() => {
                form.clearErrors();
                form.setValues(exampleOf(name));
              }}
            >
              {t(`derived.example.${name}`)}
            </button>
          ))}
        </div>
      </fieldset>
    </>
  );
}

function Mistake({ formula, mistake }: { formula: string; mistake: Check['problems'][number] }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { line, column, message } = mistake;
  if (line === null || column === null)
    return (
      <div className={classes['mistake']} role="alert">
        <p>{message}</p>
      </div>
    );
  const text = formula.split('\n')[line - 1] ?? '';
  return (
    <div className={classes['mistake']} role="alert">
      <p>{t('derived.mistake', { line: format.count(line), column: format.count(column), message })}</p>
      <pre aria-hidden>{`${text}\n${' '.repeat(Math.max(0, column - 1))}^`}</pre>
    </div>
  );
}
