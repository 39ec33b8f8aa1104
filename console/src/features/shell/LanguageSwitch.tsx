// Goes from English to Hindi to Marathi and round again. It names the language it leads to in that language.
import { UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import LanguageIcon from '~icon/Language';
import { changeLanguage, useLanguage } from '../../i18n/i18n';
import { nextLanguage, ownNames } from '../../i18n/languages';
import classes from './Header.module.css';

export function LanguageSwitch() {
  const { t } = useTranslation();
  const next = nextLanguage(useLanguage());
  return (
    <UnstyledButton
      className={`${classes['button']} ${classes['language']}`}
      title={t('language.switch', { language: ownNames[next] })}
      onClick={() => void changeLanguage(next)}
    >
      <LanguageIcon size={22} aria-hidden />
      <span className={classes['languageShort']}>{t('language.short')}</span>
      <span className={classes['languageFull']}>{t('language.name')}</span>
      {/* The name begins with what is seen, for those who speak to the page. */}
      <VisuallyHidden className={classes['heard'] ?? ''}>
        {t('language.switch', { language: ownNames[next] })}
      </VisuallyHidden>
    </UnstyledButton>
  );
}
