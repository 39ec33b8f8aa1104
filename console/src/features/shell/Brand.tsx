// The product's name with its plant.
import { useTranslation } from 'react-i18next';
import Plant from '~icon/Seedling';
import classes from './Brand.module.css';

export function Brand({ iconOnly = false }: { iconOnly?: boolean }) {
  const { t } = useTranslation();
  return (
    <span className={classes['brand']}>
      <Plant size={26} aria-hidden />
      <span className={iconOnly ? classes['hidden'] : classes['name']}>{t('app.name')}</span>
    </span>
  );
}
