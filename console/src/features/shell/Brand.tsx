// The product's name with its plant.
import { useTranslation } from 'react-i18next';
import classes from './Brand.module.css';

const PLANT = '🌱';

export function Brand({ iconOnly = false }: { iconOnly?: boolean }) {
  const { t } = useTranslation();
  return (
    <span className={classes['brand']}>
      <span className={classes['plant']} aria-hidden>
        {PLANT}
      </span>
      <span className={iconOnly ? classes['hidden'] : classes['name']}>{t('app.name')}</span>
    </span>
  );
}
