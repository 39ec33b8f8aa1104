// Who is signed in, as what; appearance, profile, sign out.
import '@mantine/core/styles/Menu.css';
import { Menu, UnstyledButton, VisuallyHidden } from '@mantine/core';
import type { ParseKeys } from 'i18next';
import { useTranslation } from 'react-i18next';
import Device from '~icon/DeviceMobile';
import SignOut from '~icon/Logout';
import Moon from '~icon/Moon';
import Settings from '~icon/Settings';
import Sun from '~icon/Sun';
import Glare from '~icon/SunHigh';
import { Link } from '../../screen/Link';
import { useSignOut } from '../../screen/useSignOut';
import { type Scheme, useScheme } from '../../ui/scheme';
import classes from './Header.module.css';
import { PersonFace, personClass, usePerson } from './PersonFace';

const schemes: { id: Scheme; label: ParseKeys; icon: typeof Sun }[] = [
  { id: 'light', label: 'header.light', icon: Sun },
  { id: 'dark', label: 'header.dark', icon: Moon },
  { id: 'sunlight', label: 'header.sunlight', icon: Glare },
  { id: 'auto', label: 'header.system', icon: Device },
];

export function UserMenu() {
  const { t } = useTranslation();
  const person = usePerson();
  const { scheme: chosen, choose } = useScheme();
  const signOut = useSignOut();
  if (!person) return null;
  const { name, role } = person;
  return (
    <Menu position="bottom-end" shadow="md" width={256}>
      <Menu.Target>
        <UnstyledButton className={personClass}>
          {/* Said in full even where a phone shows only the initial. */}
          <VisuallyHidden>{t('header.userMenu')}: </VisuallyHidden>
          <PersonFace {...person} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <div className={classes['menuPerson']}>
          <div className={classes['personName']}>{name}</div>
          <div className={classes['role']}>{role}</div>
        </div>
        <Menu.Divider />
        <Menu.Item component={Link} to="/profile" leftSection={<Settings size={20} aria-hidden />}>
          {t('header.profile')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{t('header.appearance')}</Menu.Label>
        <Menu.RadioGroup value={chosen} onChange={(scheme) => choose(scheme as Scheme)}>
          {schemes.map((scheme) => (
            <Menu.RadioItem
              key={scheme.id}
              value={scheme.id}
              closeMenuOnClick={false}
              rightSection={<scheme.icon size={20} aria-hidden />}
            >
              {t(scheme.label)}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item leftSection={<SignOut size={20} aria-hidden />} onClick={() => void signOut()}>
          {t('header.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
