// How an action's value follows a signal: a drawing, its points, and in plain words what spares the motor.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import Add from '~icon/Plus';
import Remove from '~icon/Trash';
import { sensorTypes, useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { HINT_BELOW } from '../../screen/condition/fields';
import { PlaceField } from '../../screen/condition/PlaceField';
import { SpanWheel } from '../../screen/condition/SpanWheel';
import { numberIn } from '../../screen/condition/span';
import { LineDrawing } from '../../ui/LineDrawing';
import { NumberWheel } from '../../ui/NumberWheel';
import classes from './CurveChoice.module.css';
import { type CurveFields, MAX_POINTS, MIN_POINTS } from './curve';
import { valueRange } from './form';
import type { ChoiceProps } from './SlotChoice';
import { LEAST, usualOf } from './usual';

export function CurveChoice({ slot, form, things, onDone }: ChoiceProps) {
  const { t } = useTranslation();
  const words = useDomain();
  const at = `actions.${Number(slot.of)}.curve`;
  const action = form.values.actions[Number(slot.of)];
  const curve = action?.curve;
  if (!curve) return null;
  const put = (change: Partial<CurveFields>) => form.setFieldValue(at, { ...curve, ...change });
  const { sensor_type: type, setpoint } = curve;
  const offered = things.setpoints.filter(({ sensor_type }) => sensor_type === type);
  const unit = { signal: words.unit(type), value: words.actionUnit(action.command.action || 'set_position') };
  const drawn = curve.points
    .map(({ x, y }) => ({ x: numberIn(x), y: numberIn(y) }))
    .filter(({ x, y }) => Number.isFinite(x) && Number.isFinite(y))
    .sort((a, b) => a.x - b.x);
  const problem = form.errors[`${at}.points`];
  return (
    <>
      {drawn.length >= MIN_POINTS && <LineDrawing points={drawn} marked />}
      <NativeSelect
        label={t('rules.curve.signal')}
        value={type}
        data={sensorTypes.map((value) => ({ value, label: words.quantity(value) }))}
        onChange={(event) => {
          const next = event.currentTarget.value as typeof type;
          // Numbers of another quantity say nothing of this one.
          put({ sensor_type: next, setpoint: '', points: curve.points.map(({ y }) => ({ x: '', y })) });
        }}
      />
      <PlaceField
        form={form}
        path={`${at}.scope`}
        label={t('rules.editor.ownPlace')}
        houses={things.houses}
        inherited={t('rules.editor.asRule')}
      />
      {(offered.length > 0 || setpoint !== '') && (
        <NativeSelect
          label={t('rules.curve.lessTarget')}
          description={t('rules.curve.lessTargetHint')}
          inputWrapperOrder={HINT_BELOW}
          value={setpoint}
          data={[
            { value: '', label: t('rules.curve.noTarget') },
            ...offered.map(({ id, name }) => ({ value: id, label: name })),
            ...(setpoint === '' || offered.some(({ id }) => id === setpoint)
              ? []
              : [{ value: setpoint, label: setpoint }]),
          ]}
          onChange={(event) => put({ setpoint: event.currentTarget.value })}
        />
      )}
      <Points form={form} at={at} curve={curve} unit={unit} range={rangeOf(action, things)} />
      {problem && <p className={classes['wrong']}>{problem}</p>}
      <Sparing form={form} at={at} curve={curve} unit={unit} />
      <Button
        variant="subtle"
        color="var(--h-bad)"
        leftSection={<Remove size={20} aria-hidden />}
        onClick={() => {
          onDone();
          form.setFieldValue(at, null);
        }}
      >
        {t('rules.curve.remove')}
      </Button>
      <Button onClick={onDone}>{t('rules.done')}</Button>
    </>
  );
}

const rangeOf = (
  { device_id, command }: ChoiceProps['form']['values']['actions'][number],
  { devices }: ChoiceProps['things'],
) =>
  valueRange(
    command.action || 'set_position',
    devices.find(({ id }) => id === device_id),
  );

interface PartProps {
  form: ChoiceProps['form'];
  at: string;
  curve: CurveFields;
  unit: { signal: string; value: string };
}

/** The points, the lowest signal first; the one that is touched has wheels. */
function Points({ form, at, curve, unit, range }: PartProps & { range: { min: number; max: number } }) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const [turned, setTurned] = useState<string>();
  const { points, sensor_type: type } = curve;
  const put = (next: CurveFields['points']) => form.setFieldValue(`${at}.points`, next);
  const { step } = usualOf(type);
  const more = () => {
    const [before, last] = points.slice(-2).map(({ x }) => numberIn(x));
    const gap = (last ?? 0) - (before ?? 0);
    const x = (last ?? 0) + (gap > 0 ? gap : step * 4);
    put([...points, { x: Number.isFinite(x) ? String(x) : '', y: String(range.max) }]);
  };
  return (
    <fieldset className={classes['points']}>
      <legend>{t('rules.curve.points')}</legend>
      {points.map((point, nth) => {
        const number = format.count(nth + 1);
        const field = (part: 'x' | 'y') => {
          const path = `${at}.points.${nth}.${part}`;
          return (
            <TextInput
              aria-label={t(`rules.curve.${part}`, { number })}
              type="text"
              inputMode="decimal"
              autoComplete="off"
              value={point[part]}
              error={form.errors[path] ?? (part === 'x' ? form.errors[`${at}.points.${nth}`] : undefined)}
              rightSection={<span aria-hidden>{part === 'x' ? unit.signal : unit.value}</span>}
              rightSectionWidth="3rem"
              onFocus={() => setTurned(`${nth}.${part}`)}
              onChange={(event) => form.setFieldValue(path, event.currentTarget.value)}
            />
          );
        };
        const [row, part] = turned?.split('.') ?? [];
        const wheel = row === String(nth) && (part === 'x' || part === 'y') ? part : undefined;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: points have no identity but their place in the list
          <div key={nth} className={classes['point']}>
            {field('x')}
            {field('y')}
            <Button
              variant="subtle"
              color="var(--h-soft)"
              disabled={points.length <= MIN_POINTS}
              aria-label={t('rules.curve.removePoint', { number })}
              onClick={() => {
                setTurned(undefined);
                put(points.filter((_, i) => i !== nth));
              }}
            >
              <Remove size={20} aria-hidden />
            </Button>
            {wheel && (
              <div className={classes['wheel']}>
                <NumberWheel
                  key={turned}
                  label={t(`rules.curve.${wheel}`, { number })}
                  text={point[wheel]}
                  onText={(text) => form.setFieldValue(`${at}.points.${nth}.${wheel}`, text)}
                  min={wheel === 'x' ? -1_000_000 : range.min}
                  max={wheel === 'x' ? 1_000_000 : range.max}
                  step={wheel === 'x' ? step : unit.value === '%' ? 5 : 0.1}
                  start={numberIn(point[wheel]) || 0}
                  told={format.reading}
                  unit={wheel === 'x' ? unit.signal : unit.value}
                  valueText={(value) => (wheel === 'x' ? words.amount(type, value) : format.reading(value))}
                  lessLabel={t('condition.less')}
                  moreLabel={t('condition.more')}
                  problemId={`${at}.points.${nth}.${wheel}-problem`}
                />
              </div>
            )}
          </div>
        );
      })}
      {points.length < MAX_POINTS && (
        <Button variant="default" leftSection={<Add size={20} aria-hidden />} onClick={more}>
          {t('rules.curve.addPoint')}
        </Button>
      )}
    </fieldset>
  );
}

/** What keeps a motor from moving all the time. */
function Sparing({ form, at, curve, unit }: PartProps) {
  const { t } = useTranslation();
  const number = (name: 'dead_band' | 'step', of: string) => (
    <TextInput
      label={t(`rules.curve.${name}`)}
      description={t(`rules.curve.${name}Hint`)}
      inputWrapperOrder={HINT_BELOW}
      type="text"
      inputMode="decimal"
      autoComplete="off"
      value={curve[name]}
      error={form.errors[`${at}.${name}`]}
      rightSection={<span aria-hidden>{of}</span>}
      rightSectionWidth="3rem"
      onChange={(event) => form.setFieldValue(`${at}.${name}`, event.currentTarget.value)}
    />
  );
  const least = `${at}.least_sec`;
  const problem = form.errors[least];
  return (
    <details className={classes['sparing']} open={Boolean(problem) || undefined}>
      <summary>{t('rules.curve.sparing')}</summary>
      {number('dead_band', unit.signal)}
      {number('step', unit.value)}
      <p>{t('rules.curve.least')}</p>
      <SpanWheel
        label={t('rules.curve.least')}
        span={curve.least_sec}
        onSpan={(next) => form.setFieldValue(least, next)}
        onUsual={(next) => form.setFieldValue(least, next)}
        usual={LEAST}
        units={['seconds', 'minutes']}
        none={t('rules.program.none0')}
        min={0}
        problem={problem ? String(problem) : undefined}
        problemId={`${least}-problem`}
      />
    </details>
  );
}
