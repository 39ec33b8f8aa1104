// Who is told: e-mail addresses, typed or taken from the people of the farm.
import { Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { usersQuery } from '../../api/people';
import { Tick } from '../../ui/Tick';
import classes from './Alerts.module.css';
import { isSubscriber, toggleSubscriber } from './alert';

interface Props {
  farmId: string;
  text: string;
  onChange: (text: string) => void;
  error: ReactNode;
}

export function SubscribersField({ farmId, text, onChange, error }: Props) {
  const { t } = useTranslation();
  // Without them the addresses can still be typed.
  const { data = [] } = useQuery(usersQuery(farmId));
  const people = data.flatMap(({ id, name, email, isActive }) =>
    email && isActive && !isMasked(email) ? [{ id, name, email }] : [],
  );
  return (
    <div className={classes['group']}>
      <Textarea
        label={t('alerts.subscribers')}
        description={t('alerts.subscribersHint')}
        name="subscribers"
        required
        inputMode="email"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        rows={2}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={error}
      />
      {people.length > 0 && (
        <fieldset className={classes['group']}>
          <legend className={classes['hint']}>{t('alerts.people')}</legend>
          <div className={classes['ticks']}>
            {people.map(({ id, name, email }) => (
              <Tick
                key={id}
                checked={isSubscriber(text, email)}
                onChange={() => onChange(toggleSubscriber(text, email))}
              >
                {name}
              </Tick>
            ))}
          </div>
        </fieldset>
      )}
    </div>
  );
}

/** Only owners and admins are told the addresses of others: the server hides them from managers, `a***@farm.in`. */
function isMasked(email: string): boolean {
  return email.includes('*');
}
