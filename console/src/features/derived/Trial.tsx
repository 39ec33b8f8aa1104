// What a derived sensor would say now, from what, or why it would not.
import { useTranslation } from 'react-i18next';
import { useDomain } from '../../i18n/domain';
import { failureText } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import classes from './Derived.module.css';
import { type DerivedValues, specOf } from './derived';
import type { Check } from './queries';

interface Props {
  values: DerivedValues;
  trial: Check | undefined;
  error: Error | null;
}

const codes = ['required', 'unknown', 'out_of_range', 'other_type', 'no_sensor', 'circle'] as const;

export function Trial({ values, trial, error }: Props) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const type = values.kind === 'formula' ? values.type : specOf(values.kind).type;
  const problems = (trial?.problems ?? []).filter(({ path }) => path !== 'formula');
  const problemText = ({ code, path, message }: Check['problems'][number]) => {
    const known = codes.find((each) => each === code);
    const what = code === 'circle' ? message : path.replace(/^(inputs|constants)\./, '');
    return known ? t(`derived.problem.${known}`, { what }) : message;
  };
  const said = () => {
    if (!trial) return error ? failureText(t, error, t('derived.nowNothing')) : t('derived.nowNothing');
    if (problems.length > 0) return problems.map(problemText).join(' · ');
    if (trial.problems.length > 0) return t('derived.nowNothing');
    if (trial.later) return t('derived.nowLater');
    return trial.value === null ? t('derived.nowUnknown') : null;
  };
  const text = said();
  return (
    <div className={classes['trial']} role="status" data-trial>
      {text === null ? (
        <strong>{t('derived.now', { value: words.amount(type, trial?.value ?? Number.NaN) })}</strong>
      ) : (
        <p>{text}</p>
      )}
      {trial && trial.inputs.length > 0 && (
        <ul>
          {trial.inputs.map(({ name, value, unit }) => (
            <li key={name}>
              {t('derived.inputNow', {
                name,
                value:
                  value === null
                    ? t('derived.inputUnknown')
                    : `${format.reading(value)} ${unit ?? ''}`.trim(),
              })}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
