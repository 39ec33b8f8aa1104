// The page around the two steps of onboarding: where one is, the language, and a way out.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import LanguageIcon from '~icon/Language';
import SignOut from '~icon/Logout';
import { answer, api } from '../../api/client';
import { forgetSession } from '../../api/session';
import { useFormat } from '../../i18n/format';
import { changeLanguage, useLanguage } from '../../i18n/i18n';
import { nextLanguage, ownNames } from '../../i18n/languages';
import { Logo } from '../../ui/Logo';
import classes from './SetupFrame.module.css';

export function SetupFrame({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const cache = useQueryClient();
  const next = nextLanguage(useLanguage());
  const signOut = useMutation({
    mutationFn: () => answer(api.POST('/auth/logout')),
    // Whether or not the server heard it: on this device the person is out.
    onSettled: () => {
      void navigate('/login');
      forgetSession();
      cache.clear();
    },
  });
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
        <button type="button" disabled={signOut.isPending} onClick={() => signOut.mutate()}>
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
