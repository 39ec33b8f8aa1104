// Who is told: e-mail addresses, typed or taken from the people of the farm.
import { Textarea } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { usersQuery } from '../../api/people';
import { Tick } from '../../ui/Tick';
import classes from './Alerts.module.css';
import { type Draft, isSubscriber, toggleSubscriber } from './alert';

interface Props {
  farmId: string;
  form: UseFormReturnType<Draft>;
}

export function SubscribersField({ farmId, form }: Props) {
  const { t } = useTranslation();
  const text = form.values.subscribers;
  // Without them the addresses can still be typed.
  const { data = [] } = useQuery(usersQuery(farmId));
  const people = data.flatMap(({ id, name, email, isActive }) =>
    email && isActive && !isMasked(email) ? [{ id, name, email }] : [],
  );
  return (
    <div className={classes['group']}>
      <Textarea
        {...form.getInputProps('subscribers')}
        label={t('alerts.subscribers')}
        description={t('alerts.subscribersHint')}
        name="subscribers"
        required
        inputMode="email"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        rows={2}
      />
      {people.length > 0 && (
        <fieldset className={classes['group']}>
          <legend className={classes['hint']}>{t('alerts.people')}</legend>
          <div className={classes['ticks']}>
            {people.map(({ id, name, email }) => (
              <Tick
                key={id}
                checked={isSubscriber(text, email)}
                onChange={() => form.setFieldValue('subscribers', toggleSubscriber(text, email))}
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
