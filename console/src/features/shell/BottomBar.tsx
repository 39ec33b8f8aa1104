// The pages that are used most, at the foot of a phone's screen on both sides of the button that stops machines.
import { useTranslation } from 'react-i18next';
import { Link } from '../../screen/Link';
import classes from './BottomBar.module.css';
import type { NavId, NavLeaf } from './tree';

interface Props {
  items: readonly NavLeaf[];
  active: NavId;
}

export function BottomBar({ items, active }: Props) {
  const { t } = useTranslation();
  return (
    <nav className={classes['bar']} aria-label={t('nav.bar')}>
      {items.map(({ id, label, icon: Glyph, to }) => (
        <Link key={id} to={to} aria-current={id === active ? 'page' : undefined}>
          <Glyph size={24} aria-hidden />
          <span>{t(label)}</span>
        </Link>
      ))}
    </nav>
  );
}
