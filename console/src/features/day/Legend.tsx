// What is drawn with the curves, in words.
import type { CSSProperties } from 'react';
import { useTranslation } from 'react-i18next';
import { type SensorTypeName, useDomain } from '../../i18n/domain';
import { quantityColour } from '../../screen/quantity';
import classes from './Day.module.css';
import type { Course, Limit, Target } from './paint';
import type { Note } from './queries';
import type { Window } from './window';

interface Props {
  types: readonly SensorTypeName[];
  targets: readonly Target[];
  limits: readonly Limit[];
  courses: readonly Course[];
  nights: readonly Window[];
  notes: readonly Note[];
}

export function Legend({ types, targets, limits, courses, nights, notes }: Props) {
  const { t } = useTranslation();
  const words = useDomain();
  const typeOf = (scale: string) => types.find((each) => each === scale);
  const inkOf = (type: SensorTypeName) => ({ '--target': quantityColour(type) }) as CSSProperties;
  return (
    <ul className={classes['legend']}>
      {targets.map(({ crop, scale, low, high }) => {
        const type = typeOf(scale);
        return (
          type && (
            <li key={`${crop} ${scale} ${low} ${high}`} data-kind="target" style={inkOf(type)}>
              {t('day.target', {
                crop,
                quantity: words.quantity(type),
                low: words.amount(type, low),
                high: words.amount(type, high),
              })}
            </li>
          )
        );
      })}
      {courses.map(({ name, scale }) => {
        const type = typeOf(scale);
        return (
          type && (
            <li key={`${name} ${scale}`} data-kind="course" style={inkOf(type)}>
              {t('day.setpoint', { name })}
            </li>
          )
        );
      })}
      {nights.length > 0 && <li data-kind="night">{t('day.night')}</li>}
      {notes.length > 0 && <li data-kind="note">{t('day.notes.mark')}</li>}
      {limits.some(({ kind }) => kind === 'rule') && <li data-kind="rule">{t('day.ruleLimit')}</li>}
      {limits.some(({ kind }) => kind === 'alert') && <li data-kind="alert">{t('day.alertLimit')}</li>}
    </ul>
  );
}
