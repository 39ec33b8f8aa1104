// The product's name with its mark.
import { useTranslation } from 'react-i18next';
import { Logo } from '../../ui/Logo';
import classes from './Brand.module.css';

export function Brand({ iconOnly = false }: { iconOnly?: boolean }) {
  const { t } = useTranslation();
  return (
    <span className={classes['brand']}>
      <Logo size={32} />
      <span className={iconOnly ? classes['hidden'] : classes['name']}>{t('app.name')}</span>
    </span>
  );
}
