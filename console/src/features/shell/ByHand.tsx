// What people have taken over from the rules, on every page as long as it lasts: which devices, and the time left of the one
// that ends first. It leads to manual control.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import Go from '~icon/ChevronRight';
import Hand from '~icon/HandStop';
import { devicesQuery } from '../../api/queries';
import { useFormat } from '../../i18n/format';
import { Countdown } from '../../screen/Countdown';
import classes from './ByHand.module.css';

/** So many are named; of more there is the number. */
const NAMED = 2;

export default function ByHand({ farmId }: { farmId: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const devices = (useQuery(devicesQuery(farmId)).data ?? []).filter(
    ({ state, gone }) => state.mode === 'manual' && !gone,
  );
  const [first] = devices;
  if (!first) return null;
  const ends = devices.flatMap(({ state }) => state.manualOverrideUntil ?? []).sort((a, b) => a - b);
  const [soonest] = ends;
  const to =
    devices.length === 1 ? `/automation/manual?device=${encodeURIComponent(first.id)}` : '/automation/manual';
  return (
    <nav className={classes['strip']} aria-label={t('byHand.label')}>
      <Link to={to} data-by-hand={devices.length}>
        <Hand size={22} aria-hidden />
        <span>
          {devices.length <= NAMED
            ? t('byHand.names', { names: format.list(devices.map(({ name }) => name)) })
            : t('byHand.count', { count: devices.length, value: format.count(devices.length) })}
        </span>
        {soonest !== undefined && <Countdown until={soonest} />}
        <Go size={20} aria-hidden />
      </Link>
    </nav>
  );
}
