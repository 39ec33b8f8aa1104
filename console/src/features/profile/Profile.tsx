// One's own account: name, number, language, digits, password, and where one is signed in.
import { useTranslation } from 'react-i18next';
import { AboutYou } from './AboutYou';
import { DigitChoice } from './DigitChoice';
import { HowTold } from './HowTold';
import { OnThisDevice } from './OnThisDevice';
import { PasswordChange } from './PasswordChange';
import classes from './Profile.module.css';
import { Sessions } from './Sessions';

export default function Profile() {
  const { t } = useTranslation();
  return (
    <div className={classes['page']}>
      <h1>{t('profile.title')}</h1>
      <AboutYou />
      <HowTold />
      <OnThisDevice />
      <DigitChoice />
      <PasswordChange />
      <Sessions />
    </div>
  );
}
