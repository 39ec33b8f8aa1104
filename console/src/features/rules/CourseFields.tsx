// A day as points: each is a line of words that opens to its time, its value and how long it takes to get there.
import { Button } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import Add from '~icon/Plus';
import Remove from '~icon/Trash';
import { sensorSpecs, useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { numberIn } from '../../screen/condition/span';
import { Chips } from '../../ui/Chips';
import { NumberWheel } from '../../ui/NumberWheel';
import { MomentChoice } from './ClockChoice';
import classes from './Setpoints.module.css';
import { MAX_COURSE_POINTS, newPoint, nextKey, type PointFields, type SetpointFields } from './setpoint-form';
import { usePointText } from './setpoint-words';
import { RAMPS, startValue, usualOf } from './usual';

interface Props {
  form: UseFormReturnType<SetpointFields>;
  /** `course`, or that of a stage. */
  path: string;
  label: string;
}

export function CourseFields({ form, path, label }: Props) {
  const { t } = useTranslation();
  const pointText = usePointText();
  const [opened, setOpened] = useState<number>();
  const course = form.getInputProps(path).value as readonly PointFields[];
  const type = form.getValues().sensor_type;
  const problem = form.errors[path];
  return (
    <fieldset className={classes['course']}>
      <legend>{label}</legend>
      {course.map((point, nth) => {
        const at = `${path}.${nth}`;
        const wrong = Object.entries(form.errors).find(
          ([each]) => each.startsWith(`${at}.`) || each === at,
        )?.[1];
        const open = opened === point.key;
        return (
          <div key={point.key} className={classes['point']} data-wrong={wrong ? '' : undefined}>
            <button
              type="button"
              aria-expanded={open}
              data-point={nth}
              data-wrong={wrong ? '' : undefined}
              onClick={() => setOpened(open ? undefined : point.key)}
            >
              {pointText(point, type)}
            </button>
            {wrong && <p className={classes['wrong']}>{wrong}</p>}
            {open && (
              <Point form={form} at={at} point={point} last={course.length === 1}>
                <Button
                  variant="subtle"
                  color="var(--h-bad)"
                  disabled={course.length === 1}
                  leftSection={<Remove size={20} aria-hidden />}
                  onClick={() => {
                    setOpened(undefined);
                    form.removeListItem(path, nth);
                  }}
                >
                  {t('rules.setpoint.removePoint')}
                </Button>
              </Point>
            )}
          </div>
        );
      })}
      {problem && <p className={classes['wrong']}>{problem}</p>}
      {course.length < MAX_COURSE_POINTS && (
        <Button
          variant="default"
          leftSection={<Add size={20} aria-hidden />}
          onClick={() => {
            const key = nextKey(course);
            form.insertListItem(path, { ...newPoint(type, '12:00', key), value: course.at(-1)?.value ?? '' });
            setOpened(key);
          }}
        >
          {t('rules.setpoint.addPoint')}
        </Button>
      )}
    </fieldset>
  );
}

interface PointProps {
  form: Props['form'];
  at: string;
  point: PointFields;
  last: boolean;
  children: React.ReactNode;
}

function Point({ form, at, point, last, children }: PointProps) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const type = form.getValues().sensor_type;
  const { min, max } = sensorSpecs[type];
  return (
    <div className={classes['parts']}>
      <MomentChoice form={form} path={`${at}.at`} label={t('rules.program.timeOfDay')} />
      <p>{t('rules.setpoint.value')}</p>
      <NumberWheel
        label={t('rules.setpoint.value')}
        text={point.value}
        onText={(text) => form.setFieldValue(`${at}.value`, text)}
        min={min}
        max={max}
        step={usualOf(type).step}
        start={startValue(type, 'lt')}
        told={format.reading}
        unit={words.unit(type)}
        valueText={(value) => words.amount(type, value)}
        lessLabel={t('condition.less')}
        moreLabel={t('condition.more')}
        problemId={`${at}-value-problem`}
      />
      {/* A day of one value has nowhere to come from. */}
      {!last && (
        <>
          <p>{t('rules.setpoint.ramp')}</p>
          <Chips
            label={t('rules.setpoint.ramp')}
            values={RAMPS}
            told={(minutes) => (minutes === 0 ? t('rules.setpoint.atOnce') : words.duration(minutes * 60))}
            chosen={numberIn(point.ramp_min) as 0}
            onChoose={(minutes) => form.setFieldValue(`${at}.ramp_min`, String(minutes))}
          />
        </>
      )}
      {children}
    </div>
  );
}
