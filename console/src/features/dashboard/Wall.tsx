// The farm on a screen that hangs in the shed: how it stands and every house, dark, large, and lit as long as it is shown.
import { useTranslation } from 'react-i18next';
import Leave from '~icon/X';
import type { FarmPageProps } from '../../api/farms';
import { useFormat } from '../../i18n/format';
import { Link } from '../../screen/Link';
import { Logo } from '../../ui/Logo';
import { Houses } from './Houses';
import { useMinute } from './time';
import { useWallScreen } from './useWallScreen';
import { VerdictPanel } from './VerdictPanel';
import classes from './Wall.module.css';

export default function Wall({ farm, farmId }: FarmPageProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const now = useMinute();
  useWallScreen();
  return (
    <main className={classes['wall']}>
      <header>
        <Logo size={44} />
        <h1>{farm.name}</h1>
        <time dateTime={now.toISOString()}>{format.clock(now)}</time>
        <Link to="/dashboard" aria-label={t('wall.leave')} title={t('wall.leave')}>
          <Leave size={24} aria-hidden />
        </Link>
      </header>
      <VerdictPanel farmId={farmId} />
      <Houses farmId={farmId} />
    </main>
  );
}
