// The roster: who is on duty on which days of the week, from when to when.
import { ActionIcon, Button, NativeSelect, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import Add from '~icon/Plus';
import Remove from '~icon/Trash';
import { weekdays } from '../../i18n/domain';
import { useRuleWords } from '../../i18n/rule-words';
import { Chips } from '../../ui/Chips';
import { Panel } from '../../ui/Panel';
import alertClasses from './Alerts.module.css';
import { type Duty, type Person, toggled } from './told';
import classes from './WhoIsTold.module.css';

interface Props {
  duties: readonly Duty[];
  people: readonly Person[];
  timezone: string;
  errors: { readonly [path: string]: ReactNode };
  onChange: (duties: Duty[]) => void;
}

const DAYS = [1, 2, 3, 4, 5, 6, 7] as const;

export function Duties({ duties, people, timezone, errors, onChange }: Props) {
  const { t } = useTranslation();
  const words = useRuleWords();
  const put = (n: number, duty: Duty) => onChange(duties.map((each, at) => (at === n ? duty : each)));
  const nameOf = (id: string) => people.find((person) => person.id === id)?.name ?? '';
  return (
    <Panel title={t('told.roster')} hint={t('told.rosterHint', { timezone })}>
      {duties.length === 0 && <p className={alertClasses['hint']}>{t('told.noRoster')}</p>}
      <ul className={classes['cards']}>
        {duties.map((duty, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: times have no identity of their own, and no state
          <li key={n} className={classes['card']}>
            <div className={classes['cardHead']}>
              <NativeSelect
                label={t('told.person')}
                value={duty.userId}
                onChange={(event) => put(n, { ...duty, userId: event.currentTarget.value })}
                data={[
                  ...(nameOf(duty.userId) ? [] : [{ value: duty.userId, label: t('told.choose') }]),
                  ...people.map(({ id, name }) => ({ value: id, label: name })),
                ]}
              />
              <ActionIcon
                variant="subtle"
                size="xl"
                aria-label={t('told.removeDuty', { name: nameOf(duty.userId) })}
                onClick={() => onChange(duties.filter((_, at) => at !== n))}
              >
                <Remove size={22} aria-hidden />
              </ActionIcon>
            </div>
            <Chips
              label={t('told.days')}
              values={DAYS}
              told={(day) => words.weekday(weekdays[day - 1] ?? 'mon')}
              chosen={duty.days}
              onChoose={(day) => put(n, { ...duty, days: toggled(duty.days, day, DAYS) })}
            />
            <div className={classes['times']}>
              <TextInput
                type="time"
                label={t('told.from')}
                value={duty.from}
                onChange={(event) => put(n, { ...duty, from: event.currentTarget.value })}
              />
              <TextInput
                type="time"
                label={t('told.to')}
                description={duty.to <= duty.from ? t('told.nextDay') : undefined}
                value={duty.to}
                onChange={(event) => put(n, { ...duty, to: event.currentTarget.value })}
              />
            </div>
            {errors[`duties.${n}`] && (
              <p className={alertClasses['problem']} data-wrong tabIndex={-1}>
                {errors[`duties.${n}`]}
              </p>
            )}
          </li>
        ))}
      </ul>
      <Button
        variant="default"
        leftSection={<Add size={20} aria-hidden />}
        onClick={() =>
          onChange([...duties, { userId: people[0]?.id ?? '', days: [...DAYS], from: '18:00', to: '06:00' }])
        }
      >
        {t('told.addDuty')}
      </Button>
    </Panel>
  );
}
