// What is measured in a house now: its arch with the temperature over it, and figures, each against what its crops want.
import { VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import Below from '~icon/ArrowNarrowDown';
import Above from '~icon/ArrowNarrowUp';
import { type SensorTypeName, useDomain } from '../i18n/domain';
import { useFormat } from '../i18n/format';
import { useAsOf } from '../ui/AsOf';
import { HouseDrawing } from '../ui/HouseDrawing';
import { type Device, runs } from './device';
import classes from './HouseNow.module.css';
import { type HouseFacts, type Means, sideOf } from './house';

interface Props {
  facts: HouseFacts;
  means: Means;
}

/** Draws the house as its arch, its temperature in words over it. */
export function HousePicture({ facts: { measured, devices }, means }: Props) {
  const asOf = useAsOf();
  const value = (type: SensorTypeName) => means[type]?.value;
  const of = (type: Device['type']) => devices.filter((device) => device.type === type).map(runs);
  const isMeasured = measured.has('temperature');
  return (
    <div className={classes['drawing']}>
      <HouseDrawing
        temperature={isMeasured ? (value('temperature') ?? 'unknown') : undefined}
        soil={value('soil_moisture')}
        tank={value('reservoir_level')}
        fans={of('fan')}
        vents={of('vent')}
        old={asOf !== undefined}
      />
      {isMeasured && (
        <>
          <p className={classes['over']}>
            <Mean type="temperature" means={means} />
          </p>
          <Wanted type="temperature" means={means} />
        </>
      )}
    </div>
  );
}

/** Lists those of some quantities that are measured in the house; after them what follows from what is. */
export function Figures({
  facts: { measured },
  means,
  of,
  children,
}: Props & { of: readonly SensorTypeName[]; children?: ReactNode }) {
  const words = useDomain();
  const shown = of.filter((type) => measured.has(type));
  if (shown.length === 0) return null;
  return (
    <dl className={classes['figures']}>
      {shown.map((type) => (
        <div key={type}>
          <dt>{words.quantity(type)}</dt>
          <dd>
            <Mean type={type} means={means} />
            <Wanted type={type} means={means} />
          </dd>
        </div>
      ))}
      {children}
    </dl>
  );
}

/** A mean, marked where it is not what the crops want. */
function Mean({ type, means }: { type: SensorTypeName; means: Means }) {
  const { t } = useTranslation();
  const words = useDomain();
  const mean = means[type];
  if (!mean) return <span className={classes['unknown']}>{t('verdict.word.not_known')}</span>;
  return <Sided mean={mean} text={words.glance(type, mean.value)} />;
}

/** A value with the side of what is wanted that it is on. */
export function Sided({ mean, text }: { mean: Means[string]; text: string }) {
  const { t } = useTranslation();
  const side = sideOf(mean.value, mean.wanted);
  const Arrow = side === 'above' ? Above : Below;
  return (
    <span data-side={side}>
      <strong>{text}</strong>
      {side && (
        <>
          <Arrow size={20} stroke={2.4} aria-hidden />
          <VisuallyHidden>{t(`verdict.${side}`)}</VisuallyHidden>
        </>
      )}
    </span>
  );
}

/** What the crops of the house want of a quantity. */
function Wanted({ type, means }: { type: SensorTypeName; means: Means }) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const wanted = means[type]?.wanted;
  if (!wanted) return null;
  const { low, high } = wanted;
  return (
    <small className={classes['wanted']}>
      {t('verdict.target', { low: format.reading(low), high: words.amount(type, high) })}
    </small>
  );
}
