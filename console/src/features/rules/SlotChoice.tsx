// The choice for one word of a rule's sentence.
import { Button } from '@mantine/core';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { operators, type SensorTypeName, type Slot, sensorTypes, useDomain } from '../../i18n/domain';
import { usePlaceChoices } from '../../screen/condition/PlaceField';
import { choiceOf, type PlaceChoice } from '../../screen/condition/places';
import { SpanWheel } from '../../screen/condition/SpanWheel';
import type { Span } from '../../screen/condition/span';
import { OptionList } from '../../ui/OptionList';
import { ActionChoice, DeviceChoice } from './ActionChoice';
import type { FarmThings } from './farm';
import { type ConditionFields, type RuleForm, scopesOf, stopLike, withSensor } from './form';
import { liesIn } from './places';
import type { Sight } from './queries';
import { Now } from './RuleStanding';
import type { Sensor } from './recipes';
import classes from './SlotChoice.module.css';
import { DELAYS, HOLDS } from './usual';
import { AmountWheel, ValueWheel } from './ValueWheel';
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

export function SlotChoice(props: ChoiceProps) {
  const { slot, form, path } = props;
  const problem = form.errors[path];
  const problemId = useId();
  const wrong = { problem: problem ? String(problem) : undefined, problemId };
  switch (slot.name) {
    case 'value':
    case 'max': {
      const { sensor_type } = slot.of === 'stop' ? form.values.stop_condition : form.values.trigger;
      return (
        <>
          {props.sight && (
            <p className={classes['now']}>
              <Now sight={props.sight} type={sensor_type} />
            </p>
          )}
          <ValueWheel {...props} {...wrong} />
        </>
      );
    }
    case 'amount':
      return <AmountWheel {...props} {...wrong} />;
    case 'duration':
    case 'delay':
      return <SpanChoice {...props} {...wrong} />;
    default:
      return (
        <>
          {wrong.problem && <p className={classes['problem']}>{wrong.problem}</p>}
          <ListChoice {...props} />
        </>
      );
  }
}

function SpanChoice({ slot, path, form, onDone, problem, problemId }: WheelProps) {
  const { t } = useTranslation();
  const wordName = useWordName();
  const waits = slot.name === 'delay';
  const span: Span = form.getInputProps(path).value;
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
        usual={waits ? DELAYS : HOLDS}
        min={waits ? 0 : 1}
        problem={problem}
        problemId={problemId}
      />
      <Button onClick={onDone}>{t('rules.done')}</Button>
    </>
  );
}

function ListChoice(props: ChoiceProps) {
  switch (props.slot.name) {
    case 'sensor':
      return <SensorChoice {...props} />;
    case 'place':
      return <PlaceChoiceList {...props} />;
    case 'compared':
      return <ComparisonChoice {...props} />;
    case 'stops':
      return <StopChoice {...props} />;
    case 'device':
      return <DeviceChoice {...props} />;
    default:
      return <ActionChoice {...props} />;
  }
}

function SensorChoice({ slot, path, form, things, sensors, onDone }: ChoiceProps) {
  const { t } = useTranslation();
  const words = useDomain();
  const wordName = useWordName();
  const scopes = scopesOf(form.values, things);
  const place = slot.of === 'stop' ? scopes.stop : scopes.trigger;
  // What is measured there stands first.
  const measured = (type: SensorTypeName) =>
    sensors?.some(
      (sensor) => sensor.type === type && !sensor.gone && liesIn(sensor.scope, place, things.houses),
    );
  const options = sensorTypes.map((type) => ({ value: type, label: words.quantity(type) }));
  return (
    <OptionList
      label={wordName(path)}
      groups={
        sensors
          ? [
              { options: options.filter(({ value }) => measured(value)) },
              { title: t('rules.notMeasured'), options: options.filter(({ value }) => !measured(value)) },
            ]
          : [{ options }]
      }
      chosen={slot.of === 'stop' ? form.values.stop_condition.sensor_type : form.values.trigger.sensor_type}
      onChoose={(type) => {
        for (const [at, value] of withSensor(form.values, slot.of === 'stop', type as SensorTypeName))
          form.setFieldValue(at, value);
        form.clearFieldError(path);
        onDone();
      }}
    />
  );
}

function PlaceChoiceList({ slot, path, form, things, onDone }: ChoiceProps) {
  const wordName = useWordName();
  const scopes = scopesOf(form.values, things);
  const chosen = choiceOf(slot.of === 'stop' ? scopes.stop : scopes.trigger);
  const options = usePlaceChoices(chosen, things.houses);
  return (
    <OptionList
      label={wordName(path)}
      groups={[{ options }]}
      chosen={chosen}
      searchLabel={wordName(path)}
      onChoose={(choice) => {
        form.setFieldValue(path, choice as PlaceChoice);
        // Which sensors there are depends on the place.
        form.clearFieldError('trigger.sensor_type');
        form.clearFieldError('stop_condition.sensor_type');
        onDone();
      }}
    />
  );
}

function ComparisonChoice({ slot, path, form, onDone }: ChoiceProps) {
  const { t } = useTranslation();
  const words = useDomain();
  const wordName = useWordName();
  return (
    <OptionList
      label={wordName(path)}
      groups={[
        {
          options: operators
            // A stop condition knows no "between".
            .filter((value) => slot.of !== 'stop' || value !== 'between')
            .map((value) => ({
              value,
              label: t('rules.editor.option', {
                words: words.operator(value),
                sign: words.operatorSign(value),
              }),
            })),
        },
      ]}
      chosen={form.getInputProps(path).value}
      onChoose={(value) => {
        form.setFieldValue(path, value as ConditionFields['operator']);
        onDone();
      }}
    />
  );
}

function StopChoice({ path, form, onDone }: ChoiceProps) {
  const { t } = useTranslation();
  const wordName = useWordName();
  const { stops, trigger, stop_condition } = form.values;
  return (
    <OptionList
      label={wordName(path)}
      groups={[
        {
          options: [
            { value: 'condition', label: t('rules.editor.stops'), note: t('rules.editor.stopHint') },
            { value: 'none', label: t('rules.stopsFalse'), note: t('rules.stopsFalseHint') },
          ],
        },
      ]}
      chosen={stops ? 'condition' : 'none'}
      onChoose={(chosen) => {
        form.setFieldValue('stops', chosen === 'condition');
        // Nothing said yet: it starts as the opposite of the trigger.
        if (chosen === 'condition' && stop_condition.value === '')
          form.setFieldValue('stop_condition', stopLike(trigger));
        onDone();
      }}
    />
  );
}
