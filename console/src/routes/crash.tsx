// What is left when a page breaks: words and a way on.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Notice } from '../ui/Notice';
import classes from './crash.module.css';

export function Crash() {
  const { t } = useTranslation();
  return (
    <div className={classes['page']}>
      <Notice title={t('app.crashed')}>
        <Button onClick={() => window.location.reload()}>{t('app.reload')}</Button>
      </Notice>
    </div>
  );
}
