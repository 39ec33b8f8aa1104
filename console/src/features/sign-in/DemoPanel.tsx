// In the demo, how to sign in: the accounts and their password, each filled in by a tap. Elsewhere, nothing.
import { useTranslation } from 'react-i18next';
import classes from './DemoPanel.module.css';
import { useDemo } from './demo';

interface Props {
  onChoose: (contact: string, password: string) => void;
}

export function DemoPanel({ onChoose }: Props) {
  const { t } = useTranslation();
  const demo = useDemo();
  if (!demo) return null;
  const { users, password } = demo;
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
