// In the demo nothing is mailed: the codes that would be are shown here, and a tap fills one in. Elsewhere, nothing.
import { useTranslation } from 'react-i18next';
import classes from './DemoPanel.module.css';
import { useDemoOutbox } from './demo';

/** More would only be old ones. */
const SHOWN = 3;

export function DemoOutbox({ onChoose }: { onChoose?: (code: string) => void }) {
  const { t } = useTranslation();
  const messages = useDemoOutbox()
    .flatMap(({ id, to, code }) => (code === null ? [] : [{ id, to, code }]))
    .slice(0, SHOWN);
  if (messages.length === 0) return null;
  return (
    <section className={classes['panel']} aria-labelledby="outbox-title">
      <h2 id="outbox-title">{t('demo.outbox')}</h2>
      <p>{t('demo.outboxText')}</p>
      <ul>
        {messages.map(({ id, to, code }) => (
          <li key={id}>
            {onChoose ? (
              <button
                type="button"
                aria-label={t('demo.fillCode', { code, contact: to })}
                onClick={() => onChoose(code)}
              >
                <code>{code}</code> {to}
              </button>
            ) : (
              <p>
                <code>{code}</code> {to}
              </p>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
