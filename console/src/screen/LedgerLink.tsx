// The way from a device that moves water to the ledger of its reservoir.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import LedgerIcon from '~icon/Droplets';
import { controllersQuery } from '../api/controllers';
import { useMay } from '../api/permissions';
import classes from './DayLink.module.css';
import type { Device } from './device';
import { Link } from './Link';

const ofWater: readonly Device['type'][] = ['pump', 'valve', 'dosing_pump', 'fogger'];

/** Nothing where the device has no reservoir, or it is not for the person to know. */
export function LedgerLink({ farmId, device }: { farmId: string; device: Device }) {
  const { t } = useTranslation();
  const may = useMay();
  const enabled = ofWater.includes(device.type) && device.controller !== null && may('controllers:read');
  const controllers = useQuery({ ...controllersQuery(farmId), enabled }).data;
  const reservoir = controllers?.find(({ macid }) => macid === device.controller)?.reservoirId;
  if (!enabled || !reservoir) return null;
  return (
    <Link className={classes['link'] ?? ''} to={`/reservoirs/${encodeURIComponent(reservoir)}`}>
      <LedgerIcon size={20} aria-hidden />
      {t('nav.ledger')}
    </Link>
  );
}
