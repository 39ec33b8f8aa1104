// The choice for one word of a rule's sentence.
import { Button } from '@mantine/core';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { Slot } from '../../i18n/domain';
import { SpanWheel } from '../../screen/condition/SpanWheel';
import { durationUnits, type Span, type TimeUnit } from '../../screen/condition/span';
import { OptionList } from '../../ui/OptionList';
import { ActionChoice, DeviceChoice } from './ActionChoice';
import { ClockChoice } from './ClockChoice';
import { CurveChoice } from './CurveChoice';
import type { FarmThings } from './farm';
import { type RuleForm, stopLike } from './form';
import { LeafChoice } from './LeafChoice';
import { isBlank } from './leaves';
import type { Sight } from './queries';
import { Now } from './RuleStanding';
import type { Sensor } from './recipes';
import classes from './SlotChoice.module.css';
import { leafOf } from './slots';
import { ThresholdChoice } from './ThresholdChoice';
import { BRANCH_HOLDS, DELAYS, EVERY, HOLDS, LATE, LINGERS, RUNS } from './usual';
import { AmountWheel } from './ValueWheel';
import { useWordName } from './wording';

export interface ChoiceProps {
  slot: Slot;
  /** The field behind it. */
  path: string;
  form: RuleForm;
  things: FarmThings;
  sensors: readonly Sensor[] | undefined;
  /** What its condition sees now, as far as that is known. */
  sight: Sight | null | undefined;
  onDone: () => void;
}

export interface WheelProps extends ChoiceProps {
  problem: string | undefined;
  problemId: string;
}

/** Lengths of time: the usual ones, the least, and the units. */
const spans: Partial<
  Record<Slot['name'], { usual: readonly number[]; min: number; units?: readonly TimeUnit[] }>
> = {
  duration: { usual: HOLDS, min: 1 },
  hold: { usual: BRANCH_HOLDS, min: 0 },
  delay: { usual: DELAYS, min: 0 },
  lasts: { usual: RUNS, min: 0 },
  linger: { usual: LINGERS, min: 0, units: ['seconds'] },
  minutes: { usual: EVERY, min: 1, units: ['minutes', 'hours'] },
  late: { usual: LATE, min: 0 },
  run: { usual: RUNS, min: 0 },
};

export function SlotChoice(props: ChoiceProps) {
  const { slot, form, path } = props;
  const problem = form.errors[path];
  const problemId = useId();
  const wrong = { problem: problem ? String(problem) : undefined, problemId };
  return (
    <>
      {wrong.problem && !isWheel(slot) && <p className={classes['problem']}>{wrong.problem}</p>}
      {leafOf(slot, form.values) ? (
        <LeafChoice {...props}>
          <OneChoice {...props} {...wrong} />
        </LeafChoice>
      ) : (
        <OneChoice {...props} {...wrong} />
      )}
    </>
  );
}

/** What says itself what is wrong with it. */
const isWheel = ({ name }: Slot) => name in spans || name === 'value' || name === 'max' || name === 'amount';

function OneChoice(props: WheelProps) {
  const { slot, form } = props;
  const leaf = leafOf(slot, form.values);
  if (slot.name in spans) return <SpanChoice {...props} />;
  if (slot.name === 'curve') return <CurveChoice {...props} />;
  if (slot.name === 'amount') return <AmountWheel {...props} />;
  if (slot.name === 'value' || slot.name === 'max')
    return (
      <>
        {props.sight && leaf && (
          <p className={classes['now']}>
            <Now sight={props.sight} type={leaf.leaf.sensor_type} />
          </p>
        )}
        <ThresholdChoice {...props} />
      </>
    );
  if (slot.name === 'stops') return <StopChoice {...props} />;
  if (slot.of === 'clock') return <ClockChoice {...props} />;
  // The words of a condition are offered by `LeafChoice`.
  if (leaf) return null;
  return slot.name === 'device' ? <DeviceChoice {...props} /> : <ActionChoice {...props} />;
}

function SpanChoice({ slot, path, form, onDone, problem, problemId }: WheelProps) {
  const { t } = useTranslation();
  const wordName = useWordName();
  const { usual, min, units = durationUnits } = spans[slot.name] ?? { usual: HOLDS, min: 1 };
  const span: Span = form.getInputProps(path).value;
  // What starts by the clock cannot run for no time, and what is a whole condition not hold for none.
  const least =
    (slot.name === 'run' && form.values.starts !== 'condition') ||
    (path.endsWith('duration_sec') && slot.of !== 'guard')
      ? 1
      : min;
  return (
    <>
      <SpanWheel
        label={wordName(path)}
        span={span}
        onSpan={(next) => form.setFieldValue(path, next)}
        onUsual={(next) => {
          form.setFieldValue(path, next);
          onDone();
        }}
        usual={usual.filter((seconds) => seconds >= least)}
        units={units}
        none={slot.name === 'late' ? t('rules.program.lateNone') : t('rules.program.none0')}
        min={least}
        problem={problem}
        problemId={problemId}
      />
      <Button onClick={onDone}>{t('rules.done')}</Button>
    </>
  );
}

function StopChoice({ path, form, onDone }: ChoiceProps) {
  const { t } = useTranslation();
  const wordName = useWordName();
  const { stops, trigger, stop_condition, starts } = form.values;
  return (
    <OptionList
      label={wordName(path)}
      groups={[
        {
          options: [
            { value: 'condition', label: t('rules.editor.stops'), note: t('rules.editor.stopHint') },
            {
              value: 'none',
              label: t('rules.stopsFalse'),
              note: t(starts === 'condition' ? 'rules.stopsFalseHint' : 'rules.program.stopsRun'),
            },
          ],
        },
      ]}
      chosen={stops ? 'condition' : 'none'}
      onChoose={(chosen) => {
        form.setFieldValue('stops', chosen === 'condition');
        // Nothing said yet: it starts as the opposite of the trigger.
        if (chosen === 'condition' && stop_condition.of.every(isBlank))
          form.setFieldValue('stop_condition', stopLike(trigger));
        onDone();
      }}
    />
  );
}
