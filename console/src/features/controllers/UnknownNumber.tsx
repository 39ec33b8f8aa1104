// A number of an unknown sender: what it says, what it probably is, and the tap that takes it over. Where type or unit is not
// sure, a person chooses before.
import { Button, NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import Done from '~icon/Check';
import type { components } from '../../api/schema';
import { type SensorTypeName, sensorTypes, useDomain } from '../../i18n/domain';
import { StatePill } from '../../ui/StatePill';
import classes from './Found.module.css';
import { unitsOf } from './units';

export type UnknownNumberOf = components['schemas']['UnknownNumber'];

interface Props {
  number: UnknownNumberOf;
  busy: boolean;
  /** None for who may not. */
  onTake: ((type: SensorTypeName, unit: string) => void) | undefined;
}

export function UnknownNumber({ number, busy, onTake }: Props) {
  const { t } = useTranslation();
  const domain = useDomain();
  const [type, setType] = useState<SensorTypeName | ''>(
    number.types.length === 1 ? (number.types[0] ?? '') : '',
  );
  const units = type === '' ? [] : unitsOf(type, number.unit);
  // One that is not sure is chosen by a person, unless there is no choice.
  const [chosen, choose] = useState(number.sure ? (number.unit ?? '') : undefined);
  const unit = chosen ?? (units.length === 1 || number.unit !== null ? (number.unit ?? units[0]) : undefined);
  const name = number.name ?? number.key;
  const others = sensorTypes.filter((each) => !number.types.includes(each));
  const option = (each: SensorTypeName) => ({ value: each, label: domain.quantity(each) });
  return (
    <li data-number={number.at === '' ? number.key : number.at} data-sure={number.sure}>
      <div className={classes['about']}>
        <p className={classes['name']}>{name}</p>
        {number.at !== '' && (
          <p className={classes['soft']}>
            <code>{number.at}</code>
          </p>
        )}
      </div>
      {number.value !== null && <span className={classes['value']}>{number.value}</span>}
      {number.read && <StatePill tone="good" icon={Done} word={t('controllers.unknown.taken')} />}
      {!number.read && onTake && (
        <>
          <NativeSelect
            aria-label={t('controllers.unknown.typeOf', { name })}
            value={type}
            onChange={({ currentTarget }) => {
              setType(currentTarget.value as SensorTypeName);
              choose(undefined);
            }}
            data={[
              { value: '', label: t('controllers.unknown.choose'), disabled: true },
              ...number.types.map(option),
              ...others.map(option),
            ]}
          />
          {type !== '' && (units.length > 1 || units[0] !== '') && (
            <NativeSelect
              aria-label={t('controllers.unknown.unitOf', { name })}
              value={unit ?? ''}
              disabled={units.length === 1}
              onChange={({ currentTarget }) => choose(currentTarget.value)}
              data={[
                ...(unit === undefined
                  ? [{ value: '', label: t('controllers.unknown.chooseUnit'), disabled: true }]
                  : []),
                ...units.map((each) => ({ value: each, label: each })),
              ]}
            />
          )}
          <Button
            loading={busy}
            disabled={type === '' || unit === undefined}
            aria-label={t('controllers.unknown.takeOf', { name })}
            onClick={() => type !== '' && unit !== undefined && onTake(type, unit)}
          >
            {t('controllers.unknown.take')}
          </Button>
        </>
      )}
    </li>
  );
}
