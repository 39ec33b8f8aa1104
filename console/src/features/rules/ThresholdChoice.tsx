// With what a condition compares: a number, or a setpoint with something added.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { sensorSpecs, useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { numberIn } from '../../screen/condition/span';
import { Chips } from '../../ui/Chips';
import { NumberWheel } from '../../ui/NumberWheel';
import { OptionList } from '../../ui/OptionList';
import { setpointOperators } from './problems';
import type { WheelProps } from './SlotChoice';
import classes from './SlotChoice.module.css';
import { leafOf } from './slots';
import { usualOf } from './usual';
import { ValueWheel } from './ValueWheel';

export function ThresholdChoice(props: WheelProps) {
  const { slot, form, things } = props;
  const { t } = useTranslation();
  const found = leafOf(slot, form.values);
  if (!found) return null;
  const { leaf, at } = found;
  const offered = things.setpoints.filter(({ sensor_type }) => sensor_type === leaf.sensor_type);
  const able = slot.name === 'value' && setpointOperators.includes(leaf.operator);
  if (leaf.setpoint === '' && (!able || offered.length === 0)) return <ValueWheel {...props} />;
  return (
    <>
      <Chips
        label={t('rules.target.by')}
        values={['number', 'setpoint'] as const}
        told={(by) => t(`rules.target.${by}`)}
        chosen={leaf.setpoint === '' ? 'number' : 'setpoint'}
        onChoose={(by) => form.setFieldValue(`${at}.setpoint`, by === 'number' ? '' : (offered[0]?.id ?? ''))}
      />
      {leaf.setpoint === '' ? <ValueWheel {...props} path={`${at}.value`} /> : <TargetChoice {...props} />}
    </>
  );
}

/** Which setpoint, and how far from it. */
function TargetChoice({ slot, form, things, onDone, problem, problemId }: WheelProps) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const found = leafOf(slot, form.values);
  if (!found) return null;
  const { leaf, at } = found;
  const { sensor_type: type, setpoint, offset } = leaf;
  const { step, gap } = usualOf(type);
  const { min, max } = sensorSpecs[type];
  const signed = (value: number) =>
    t(value < 0 ? 'rules.target.less' : 'rules.target.plus', { by: words.amount(type, Math.abs(value)) });
  const offered = things.setpoints.filter(({ sensor_type }) => sensor_type === type);
  // One that is no more stays visible until another is chosen.
  const lost = offered.some(({ id }) => id === setpoint) ? [] : [{ value: setpoint, label: setpoint }];
  return (
    <>
      <OptionList
        label={t('rules.target.setpoint')}
        groups={[
          {
            options: [
              ...offered.map(({ id, name, value }) => ({
                value: id,
                label: name,
                ...(value !== null && { note: t('rules.target.now', { value: words.amount(type, value) }) }),
              })),
              ...lost,
            ],
          },
        ]}
        chosen={setpoint}
        onChoose={(id) => form.setFieldValue(`${at}.setpoint`, id)}
      />
      <p className={classes['now']}>{t('rules.target.offset')}</p>
      <Chips
        label={t('condition.usual')}
        values={[...new Set([-gap, 0, step * 2, gap])]}
        told={(value) => (value === 0 ? t('rules.target.same') : signed(value))}
        chosen={numberIn(offset)}
        onChoose={(value) => form.setFieldValue(`${at}.offset`, String(value))}
      />
      <NumberWheel
        label={t('rules.target.offset')}
        text={offset}
        onText={(text) => form.setFieldValue(`${at}.offset`, text)}
        min={min - max}
        max={max - min}
        step={step}
        start={0}
        told={format.reading}
        unit={words.unit(type)}
        valueText={signed}
        lessLabel={t('condition.less')}
        moreLabel={t('condition.more')}
        problem={problem}
        problemId={problemId}
      />
      <Button onClick={onDone}>{t('rules.done')}</Button>
    </>
  );
}
