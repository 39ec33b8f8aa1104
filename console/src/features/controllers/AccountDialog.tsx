// The window with what a controller connects with. It opens when that was made, and once closed nothing shows it again.
import { Button } from '@mantine/core';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { ControllerAccounts } from '../../screen/ControllerAccounts';
import { foundPath } from '../../screen/found';
import { Link } from '../../screen/Link';
import type { NewController } from '../../screen/new-controllers';
import { Dialog } from '../../ui/Dialog';
import classes from './Controllers.module.css';

interface Props {
  /** Those that were not noted yet; none when there is nothing to show. */
  controllers: readonly NewController[];
  onClose: () => void;
}

export default function AccountDialog({ controllers, onClose }: Props) {
  const { t } = useTranslation();
  // While the window fades out it still shows what it was opened for.
  const last = useRef(controllers);
  const opened = controllers.length > 0;
  if (opened) last.current = controllers;
  const [first, ...others] = last.current;
  const title =
    first && others.length === 0 ? t('controllers.connect', { name: first.name }) : t('setup.secretsTitle');
  return (
    <Dialog opened={opened} onClose={onClose} title={title} closeLabel={t('form.close')}>
      <div className={classes['accounts']}>
        <p>
          {t('setup.secretsHint')} {t('screen.controller.anyTime')}
        </p>
        <ControllerAccounts
          controllers={last.current}
          // It has its password: there is nothing left to be noted.
          next={({ id }) => (
            <Button component={Link} to={foundPath(id)} onClick={onClose}>
              {t('controllers.toFound')}
            </Button>
          )}
        />
        <Button onClick={onClose}>{t('setup.noted')}</Button>
      </div>
    </Dialog>
  );
}
