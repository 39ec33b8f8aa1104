// What alerts say in their own way: the level of a reservoir is "Water Level" here (spec 3), and spans have one unit.
import type { ParseKeys } from 'i18next';
import { useTranslation } from 'react-i18next';
import { useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { type Sensor, sensors, type TimeUnit } from './alert';

export function useQuantityName(): (sensor: Sensor) => string {
  const { t } = useTranslation();
  const { quantity } = useDomain();
  return (sensor) => (sensor === 'Water Level' ? t('alerts.waterLevel') : quantity(sensors[sensor].type));
}

const spans = {
  seconds: 'alerts.span.seconds',
  minutes: 'alerts.span.minutes',
  hours: 'alerts.span.hours',
  days: 'alerts.span.days',
} as const satisfies Record<TimeUnit, string>;

/** "30 minutes". */
export function useSpanText(): (amount: number, unit: TimeUnit) => string {
  const { t } = useTranslation();
  const format = useFormat();
  return (amount, unit) => t(spans[unit], { count: amount, value: format.count(amount) });
}

export const unitNames: Record<TimeUnit, ParseKeys> = {
  seconds: 'alerts.unit.seconds',
  minutes: 'alerts.unit.minutes',
  hours: 'alerts.unit.hours',
  days: 'alerts.unit.days',
};
