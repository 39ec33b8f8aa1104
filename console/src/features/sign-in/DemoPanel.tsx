// In the demo, how to sign in: the accounts and their password, each filled in by a tap. Elsewhere, nothing.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import classes from './DemoPanel.module.css';

interface Props {
  onChoose: (contact: string, password: string) => void;
}

export function DemoPanel({ onChoose }: Props) {
  const { t } = useTranslation();
  // Not a demo, or no server: either way there is nothing to offer, and the form's own call will say what is wrong.
  const { data } = useQuery({
    queryKey: keys.demo,
    queryFn: () => answer(api.GET('/api/demo')),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (!data) return null;
  const { users, password } = data;
  return (
    <section className={classes['panel']} aria-labelledby="demo-title">
      <h2 id="demo-title">{t('demo.title')}</h2>
      <p>{t('demo.text')}</p>
      <ul>
        {users.map((contact) => (
          <li key={contact}>
            <button
              type="button"
              aria-label={t('demo.choose', { email: contact })}
              onClick={() => onChoose(contact, password)}
            >
              {contact}
            </button>
          </li>
        ))}
      </ul>
      <p>
        {t('demo.password')} <code>{password}</code>
      </p>
    </section>
  );
}
