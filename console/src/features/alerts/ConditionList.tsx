// The conditions of an alert. The unit follows from the sensor.
import { ActionIcon, Button } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import Add from '~icon/Plus';
import Remove from '~icon/X';
import { useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { ConditionFields } from '../../screen/condition/ConditionFields';
import classes from './Alerts.module.css';
import {
  type Draft,
  MAX_CONDITIONS,
  newCondition,
  operatorSigns,
  operators,
  sensorNames,
  sensors,
} from './alert';
import { useQuantityName } from './words';

export function ConditionList({ form }: { form: UseFormReturnType<Draft> }) {
  const { t } = useTranslation();
  const format = useFormat();
  const domain = useDomain();
  const quantity = useQuantityName();
  const { conditions, match } = form.values;
  return (
    <fieldset className={classes['group']}>
      <legend>{t('alerts.conditions')}</legend>
      {conditions.map(({ id, sensor }, index) => {
        const number = format.count(index + 1);
        const { type } = sensors[sensor];
        const at = `conditions.${index}`;
        return (
          <div key={id}>
            {index > 0 && (
              <p className={classes['joint']}>{t(match === 'any' ? 'alerts.or' : 'alerts.and')}</p>
            )}
            <div className={classes['conditionRow']}>
              <ConditionFields
                narrow
                form={form}
                paths={{ sensor: `${at}.sensor`, operator: `${at}.operator`, value: `${at}.value` }}
                labels={{
                  sensor: t('alerts.sensorOf', { number }),
                  operator: t('alerts.operatorOf', { number }),
                  value: t('alerts.valueOf', { number, unit: domain.unit(type) }).trim(),
                }}
                type={type}
                quantities={sensorNames.map((value) => ({ value, label: quantity(value) }))}
                operators={operatorSigns.map((sign) => ({
                  value: sign,
                  label: t('alerts.operatorOption', { sign, words: domain.operator(operators[sign]) }),
                }))}
              />
              {conditions.length > 1 && (
                <ActionIcon
                  variant="subtle"
                  color="var(--h-ink)"
                  size="3rem"
                  aria-label={t('alerts.removeCondition', { number })}
                  title={t('alerts.removeCondition', { number })}
                  onClick={() => form.removeListItem('conditions', index)}
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
          onClick={() => form.insertListItem('conditions', newCondition(conditions))}
        >
          {t('alerts.addCondition')}
        </Button>
      )}
    </fieldset>
  );
}
