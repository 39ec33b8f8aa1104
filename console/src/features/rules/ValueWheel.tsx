// The wheels for the values of a rule: what a condition compares with, and what a device is told.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { sensorSpecs, useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { numberIn } from '../../screen/condition/span';
import { Chips } from '../../ui/Chips';
import { NumberWheel } from '../../ui/NumberWheel';
import { stopBehind, valueRange } from './form';
import { aloneIn, newLeaf } from './leaves';
import type { WheelProps } from './SlotChoice';
import { leafOf } from './slots';
import { startValue, stopValues, usualOf, usualValues } from './usual';
import { useWordName } from './wording';

/** The values that are given to devices most. */
const USUAL_AMOUNTS = { percent: [25, 50, 75, 100], flow: [0.5, 1, 2, 5], second: [5, 10, 30, 60] };

export function ValueWheel({ slot, path, form, onDone, ...more }: WheelProps) {
  const words = useDomain();
  const format = useFormat();
  const found = leafOf(slot, form.values);
  const { sensor_type: type, operator } = found?.leaf ?? newLeaf();
  const trigger = form.values.starts === 'condition' ? aloneIn(form.values.trigger) : undefined;
  const from = numberIn(trigger?.value ?? '');
  const values =
    slot.of === 'stop' && type === trigger?.sensor_type && Number.isFinite(from)
      ? stopValues(type, operator, from)
      : usualValues(type, slot.name === 'max' ? 'gt' : operator);
  return (
    <Wheel
      {...more}
      path={path}
      form={form}
      onDone={(value) => {
        const behind = slot.of === 'trigger' && slot.name === 'value' && stopBehind(form.values, value);
        if (behind) form.setFieldValue('stop_condition.of.0.value', behind);
        onDone();
      }}
      values={values}
      start={values[Math.floor(values.length / 2)] ?? startValue(type, operator)}
      {...sensorSpecs[type]}
      step={usualOf(type).step}
      unit={words.unit(type)}
      told={format.reading}
      amount={(value) => words.amount(type, value)}
    />
  );
}

export function AmountWheel({ slot, path, form, things, ...more }: WheelProps) {
  const words = useDomain();
  const format = useFormat();
  const fields = typeof slot.of === 'number' ? form.values.actions[slot.of] : undefined;
  const action = fields?.command.action || 'on';
  const device = things.devices.find(({ id }) => id === fields?.device_id);
  const { min, max } = valueRange(action, device);
  const unit = action === 'pulse' ? 'second' : action === 'set_flow_rate' ? 'flow' : 'percent';
  const values = USUAL_AMOUNTS[unit].filter((value) => value >= min && value <= max);
  return (
    <Wheel
      {...more}
      path={path}
      form={form}
      values={values}
      start={values.at(unit === 'percent' ? -1 : 0) ?? min}
      min={min}
      max={max}
      step={unit === 'flow' ? 0.1 : unit === 'percent' ? 5 : 1}
      unit={words.actionUnit(action)}
      told={format.reading}
      amount={(value) => words.actionAmount(action, value)}
    />
  );
}

interface Props extends Pick<WheelProps, 'path' | 'form' | 'problem' | 'problemId'> {
  onDone: (value: string) => void;
  /** The usual ones. */
  values: readonly number[];
  /** Where the wheel stands before anything is said. */
  start: number;
  min: number;
  max: number;
  step: number;
  unit: string;
  told: (value: number) => string;
  /** The value with its unit. */
  amount: (value: number) => string;
}

function Wheel({ path, form, onDone, values, start, min, max, step, unit, told, amount, ...wrong }: Props) {
  const { t } = useTranslation();
  const wordName = useWordName();
  const text: string = form.getInputProps(path).value;
  const put = (value: string) => form.setFieldValue(path, value);
  return (
    <>
      <Chips
        label={t('condition.usual')}
        values={values}
        told={amount}
        chosen={numberIn(text)}
        onChoose={(value) => {
          put(String(value));
          onDone(String(value));
        }}
      />
      <NumberWheel
        label={wordName(path)}
        text={text}
        onText={put}
        min={min}
        max={max}
        step={step}
        start={start}
        told={told}
        unit={unit}
        valueText={amount}
        lessLabel={t('condition.less')}
        moreLabel={t('condition.more')}
        problem={wrong.problem}
        problemId={wrong.problemId}
      />
      <Button
        onClick={() => {
          // What stands in the middle is what is meant.
          const meant = text.trim() === '' ? String(start) : text;
          put(meant);
          onDone(meant);
        }}
      >
        {t('rules.done')}
      </Button>
    </>
  );
}
