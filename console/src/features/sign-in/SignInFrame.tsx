// The page around every sign-in form: name and promise on the dark green of the leaves, the form on a sheet.
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import LanguageIcon from '~icon/Language';
import Plant from '~icon/Seedling';
import { changeLanguage, useLanguage } from '../../i18n/i18n';
import { languages, ownNames } from '../../i18n/languages';
import classes from './SignInFrame.module.css';

export function SignInFrame({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const current = useLanguage();
  return (
    <div className={classes['page']}>
      <header className={classes['cover']}>
        <div className={classes['brand']}>
          <Plant size={32} aria-hidden />
          <span>{t('app.name')}</span>
        </div>
        <p className={classes['tagline']}>{t('signIn.tagline')}</p>
        <House />
      </header>
      <main className={classes['sheet']}>
        <div className={classes['form']}>{children}</div>
        <div className={classes['languages']}>
          <LanguageIcon size={20} aria-hidden />
          {languages.map((language) => (
            <button
              key={language}
              type="button"
              lang={language}
              aria-pressed={language === current}
              onClick={() => void changeLanguage(language)}
            >
              {ownNames[language]}
            </button>
          ))}
        </div>
      </main>
    </div>
  );
}

/** The ribs of a polyhouse, one arch behind the other. */
function House() {
  const ribs = [0, 1, 2, 3, 4, 5, 6];
  return (
    <svg
      className={classes['house']}
      viewBox="0 0 560 300"
      fill="none"
      preserveAspectRatio="xMidYMax meet"
      aria-hidden
    >
      {ribs.map((rib) => {
        const radius = 268 - rib * 36;
        return (
          <path
            key={rib}
            d={`M${280 - radius} 300 V${300 - radius * 0.2} A${radius} ${radius * 0.86} 0 0 1 ${280 + radius} ${300 - radius * 0.2} V300`}
            stroke="currentColor"
            strokeWidth={2.5}
            opacity={1 - rib * 0.11}
          />
        );
      })}
      <path d="M280 50V300M12 246H548" stroke="currentColor" strokeWidth={1.5} opacity={0.35} />
    </svg>
  );
}
