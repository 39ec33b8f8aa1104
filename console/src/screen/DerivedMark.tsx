// Says of a sensor that its values follow from others, and leads to what it is made of.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import Derived from '~icon/MathFunction';
import { derivedSensorsQuery } from '../api/queries';
import type { components } from '../api/schema';
import { Link } from './Link';

type DerivedSensor = components['schemas']['DerivedSensor'];

const NONE: readonly DerivedSensor[] = [];

/** The farm's derived sensors, as far as they are known. */
export function useDerivedSensors(farmId: string): readonly DerivedSensor[] {
  return useQuery(derivedSensorsQuery(farmId)).data ?? NONE;
}

export function DerivedMark({ derived: { id, name }, named }: { derived: DerivedSensor; named?: boolean }) {
  const { t } = useTranslation();
  return (
    <Link
      to={`/polyhouses/derived?open=${encodeURIComponent(id)}`}
      aria-label={t('screen.derivedOf', { name })}
      style={{
        display: 'inline-flex',
        alignItems: 'center',
        gap: '0.3rem',
        minHeight: 'var(--h-touch)',
        fontWeight: 600,
      }}
    >
      <Derived size={18} aria-hidden />
      {named ? name : t('screen.derived')}
    </Link>
  );
}
