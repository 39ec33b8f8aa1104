// The page around the two steps of onboarding: where one is, the language, and a way out.
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import LanguageIcon from '~icon/Language';
import SignOut from '~icon/Logout';
import { useFormat } from '../../i18n/format';
import { changeLanguage, useLanguage } from '../../i18n/i18n';
import { nextLanguage, ownNames } from '../../i18n/languages';
import { useSignOut } from '../../screen/useSignOut';
import { Logo } from '../../ui/Logo';
import classes from './SetupFrame.module.css';

export function SetupFrame({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const next = nextLanguage(useLanguage());
  const signOut = useSignOut();
  return (
    <div className={classes['page']}>
      <header className={classes['bar']}>
        <span className={classes['brand']}>
          <Logo size={30} />
          {t('app.name')}
        </span>
        <button
          type="button"
          lang={next}
          title={t('language.switch', { language: ownNames[next] })}
          onClick={() => void changeLanguage(next)}
        >
          <LanguageIcon size={20} aria-hidden />
          {ownNames[next]}
        </button>
        <button type="button" onClick={() => void signOut()}>
          <SignOut size={20} aria-hidden />
          {t('setup.signOut')}
        </button>
      </header>
      <main className={classes['main']}>{children}</main>
    </div>
  );
}

/** The head of a step. */
export function StepHead({ step, title, hint }: { step: 1 | 2; title: string; hint: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <div className={classes['head']}>
      <p className={classes['step']}>{t('setup.step', { step: format.count(step) })}</p>
      <div className={classes['progress']} aria-hidden>
        <span data-done="true" />
        <span data-done={step === 2} />
      </div>
      <h1>{title}</h1>
      <p>{hint}</p>
    </div>
  );
}
