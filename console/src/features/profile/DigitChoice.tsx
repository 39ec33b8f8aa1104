// Which digits numbers are written with, where a language has two kinds.
import { useTranslation } from 'react-i18next';
import { chooseDigits, digitsOf, useChosenDigits } from '../../i18n/digits';
import { formatters } from '../../i18n/format';
import { useLanguage } from '../../i18n/i18n';
import { Panel } from '../../ui/Panel';
import classes from './Profile.module.css';

const EXAMPLE = 1_234_567_890;

export function DigitChoice() {
  const { t } = useTranslation();
  const language = useLanguage();
  const chosen = digitsOf(language, useChosenDigits());
  if (language === 'en') return null;
  return (
    <Panel title={t('profile.digits.title')} hint={t('profile.digits.hint')}>
      <div className={classes['digits']} role="radiogroup" aria-label={t('profile.digits.title')}>
        {(['latin', 'devanagari'] as const).map((digits) => (
          <label key={digits}>
            <input
              type="radio"
              name="digits"
              checked={chosen === digits}
              onChange={() => chooseDigits(digits)}
            />
            <span>
              {t(`profile.digits.${digits}`)}
              <b>{formatters(language, undefined, digits).count(EXAMPLE)}</b>
            </span>
          </label>
        ))}
      </div>
    </Panel>
  );
}
