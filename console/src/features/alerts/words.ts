// What alerts say in their own way: the level of a reservoir is "Water Level" here (spec 3), and spans have one unit.
import type { ParseKeys } from 'i18next';
import { useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { type Problem, useProblemText } from '../../screen/condition/problems';
import type { TimeUnit } from '../../screen/condition/span';
import { type Sensor, sensors } from './alert';
import type { Condition } from './incident';
import type { OnlyIf } from './only-if';

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

/** What an alert asks beside its conditions: "Fan runs, for a minute already". */
export function useOnlyIfText(): (
  choice: OnlyIf,
  devices: readonly { id: string; name: string }[],
) => string {
  const { t } = useTranslation();
  return (choice, devices) => {
    if (choice === 'always' || choice === 'night' || choice === 'other') return t(`alerts.onlyIf.${choice}`);
    const id = choice.slice('device:'.length);
    return t('alerts.onlyIf.runs', { device: devices.find((device) => device.id === id)?.name ?? id });
  };
}

const problems: Record<string, ParseKeys> = {
  'name required': 'alerts.nameRequired',
  'subscribers required': 'alerts.subscribersRequired',
  'subscribers not_email': 'alerts.subscribersInvalid',
  'sensor no_sensor': 'alerts.problem.noSensor',
  'scope unknown': 'alerts.problem.unknownPlace',
};

/** What is wrong at a field; of a scope, whichever of its parts is wrong. */
export function useAlertProblemText(): (problem: Problem) => string {
  const { t } = useTranslation();
  const text = useProblemText();
  return (problem) => {
    const field = problem.path.replace(/^conditions\[\d+\]\.|\..*$/g, '');
    const own = problems[`${field} ${problem.code}`];
    return own ? t(own) : text(problem);
  };
}

/** "above 35 °C": where an alert is raised. */
export function useLimitText(): (condition: Pick<Condition, 'sensorType' | 'operator' | 'limit'>) => string {
  const { t } = useTranslation();
  const { amount } = useDomain();
  return useCallback(
    ({ sensorType, operator, limit }) =>
      t(`incident.limit.${operator === 'between' ? 'eq' : operator}`, {
        limit: amount(sensorType, limit ?? Number.NaN),
      }),
    [t, amount],
  );
}

const TICK_MS = 1_000;

/** The time, as it goes on. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
