// Cancel and save, side by side.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import classes from './places.module.css';

export function FormButtons({ busy, onCancel }: { busy: boolean; onCancel: () => void }) {
  const { t } = useTranslation();
  return (
    <div className={classes['buttons']}>
      <Button variant="default" onClick={onCancel}>
        {t('form.cancel')}
      </Button>
      <Button type="submit" loading={busy}>
        {t('form.save')}
      </Button>
    </div>
  );
}
