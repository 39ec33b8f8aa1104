// The page around every sign-in form: name and promise on the blue of the evening, a lit house below it, the form on a sheet.
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import LanguageIcon from '~icon/Language';
import { changeLanguage, useLanguage } from '../../i18n/i18n';
import { languages, ownNames } from '../../i18n/languages';
import { archLine } from '../../ui/arch';
import { Logo } from '../../ui/Logo';
import classes from './SignInFrame.module.css';

export function SignInFrame({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const current = useLanguage();
  return (
    <div className={classes['page']}>
      <header className={classes['cover']}>
        <div className={classes['brand']}>
          <Logo size={44} />
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

/** How far the ribs stand behind one another, and how wide they are seen. */
const RIBS = [276, 218, 172, 136, 108, 86];
/** The eye's height: what is far away draws near to it. */
const HORIZON = 222;
const MIDDLE = 280;

/** A polyhouse as one looks into it in the evening: rib behind rib, and the warm air at its end. */
function House() {
  const ribs = RIBS.map((half) => {
    const size = half / 276;
    const at = (height: number) => HORIZON + (height - HORIZON) * size;
    return { left: MIDDLE - half, right: MIDDLE + half, floor: at(300), eaves: at(170), top: at(24), size };
  });
  const last = ribs.at(-1);
  return (
    <svg className={classes['house']} viewBox="0 0 560 300" preserveAspectRatio="xMidYMax meet" aria-hidden>
      <radialGradient id="evening" cx="50%" cy="78%" r="60%">
        <stop className={classes['bright']} offset="0" />
        <stop className={classes['glow']} offset="0.35" />
        <stop className={classes['dark']} offset="1" />
      </radialGradient>
      {ribs[0] && <path d={`${archLine(ribs[0])}Z`} fill="url(#evening)" />}
      {last &&
        [0, 0.2, 0.4, 0.6, 0.8, 1].map((part) => (
          <path
            key={part}
            className={classes['bed']}
            d={`M${MIDDLE - 276 + part * 552} 300L${last.left + part * (last.right - last.left)} ${last.floor}`}
          />
        ))}
      {last && <path className={classes['end']} d={`${archLine(last)}Z`} />}
      {ribs.map((rib) => (
        <path
          key={rib.size}
          className={classes['rib']}
          d={archLine(rib)}
          strokeWidth={1.5 + 3.5 * rib.size}
          opacity={0.35 + 0.65 * rib.size}
        />
      ))}
    </svg>
  );
}
