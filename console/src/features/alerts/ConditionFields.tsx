// The conditions of an alert: sensor, comparison, value. The unit follows from the sensor.
import { ActionIcon, Button, NativeSelect, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import Add from '~icon/Plus';
import Remove from '~icon/X';
import { useDomain, VALUE_STEP } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import classes from './Alerts.module.css';
import {
  type ConditionDraft,
  MAX_CONDITIONS,
  newCondition,
  type Operator,
  operatorSigns,
  operators,
  sensorNames,
  sensors,
} from './alert';
import { useQuantityName } from './words';

interface Props {
  conditions: readonly ConditionDraft[];
  /** The word between two of them. */
  joint: string;
  onChange: (conditions: readonly ConditionDraft[]) => void;
  /** The ids of those whose value is no number. */
  wrong: readonly string[];
  /** What the server says about a path of the document. */
  problemAt: (path: string) => string | undefined;
}

export function ConditionFields({ conditions, joint, onChange, wrong, problemAt }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const domain = useDomain();
  const quantity = useQuantityName();
  const put = (id: string, change: Partial<ConditionDraft>) =>
    onChange(conditions.map((condition) => (condition.id === id ? { ...condition, ...change } : condition)));
  const operatorLabel = (sign: Operator) =>
    t('alerts.operatorOption', { sign, words: domain.operator(operators[sign]) });
  return (
    <fieldset className={classes['group']}>
      <legend>{t('alerts.conditions')}</legend>
      {conditions.map(({ id, sensor, operator, value }, index) => {
        const number = format.count(index + 1);
        const said = `conditions[${index}]`;
        const unit = domain.unit(sensors[sensor].type);
        return (
          <div key={id}>
            {index > 0 && <p className={classes['joint']}>{joint}</p>}
            <div className={classes['conditionRow']}>
              <NativeSelect
                className={classes['sensor'] ?? ''}
                aria-label={t('alerts.sensorOf', { number })}
                value={sensor}
                onChange={(event) => {
                  const chosen = sensorNames.find((name) => name === event.currentTarget.value);
                  if (chosen) put(id, { sensor: chosen });
                }}
                data={sensorNames.map((name) => ({ value: name, label: quantity(name) }))}
                error={problemAt(`${said}.sensor`)}
              />
              <NativeSelect
                className={classes['operator'] ?? ''}
                aria-label={t('alerts.operatorOf', { number })}
                value={operator}
                onChange={(event) => {
                  const chosen = operatorSigns.find((sign) => sign === event.currentTarget.value);
                  if (chosen) put(id, { operator: chosen });
                }}
                data={operatorSigns.map((sign) => ({ value: sign, label: operatorLabel(sign) }))}
                error={problemAt(`${said}.operator`)}
              />
              <TextInput
                className={classes['value'] ?? ''}
                aria-label={t('alerts.valueOf', { number, unit }).trim()}
                type="number"
                inputMode="decimal"
                step={VALUE_STEP}
                value={value}
                onChange={(event) => put(id, { value: event.currentTarget.value })}
                rightSection={unit && <span className={classes['unit']}>{unit}</span>}
                rightSectionWidth={unit ? `${1.25 + unit.length * 0.55}rem` : 0}
                error={(wrong.includes(id) && t('alerts.valueRequired')) || problemAt(`${said}.value`)}
              />
              {conditions.length > 1 && (
                <ActionIcon
                  variant="subtle"
                  color="var(--h-ink)"
                  size="3rem"
                  aria-label={t('alerts.removeCondition', { number })}
                  title={t('alerts.removeCondition', { number })}
                  onClick={() => onChange(conditions.filter((condition) => condition.id !== id))}
                >
                  <Remove size={20} aria-hidden />
                </ActionIcon>
              )}
            </div>
          </div>
        );
      })}
      {conditions.length < MAX_CONDITIONS && (
        <Button
          variant="default"
          leftSection={<Add size={20} aria-hidden />}
          className={classes['addCondition'] ?? ''}
          onClick={() => onChange([...conditions, newCondition(conditions)])}
        >
          {t('alerts.addCondition')}
        </Button>
      )}
    </fieldset>
  );
}
