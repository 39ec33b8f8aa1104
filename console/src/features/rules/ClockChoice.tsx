// What may be chosen of the clock: times of day and of the sun, weekdays, parts of the year.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import Add from '~icon/Plus';
import Remove from '~icon/Trash';
import { type WeekdayName, weekdays } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { useRuleWords } from '../../i18n/rule-words';
import type { FieldForm } from '../../screen/condition/fields';
import { Chips } from '../../ui/Chips';
import { NumberWheel } from '../../ui/NumberWheel';
import { OptionList } from '../../ui/OptionList';
import type { RuleForm } from './form';
import { clockAt, inOrder, type MomentFields } from './leaves';
import type { ChoiceProps } from './SlotChoice';
import classes from './SlotChoice.module.css';
import { MAX_MOMENTS } from './schedule';
import { putAt, useWordName } from './wording';

/** What a choice needs of the form that it is in. */
export type ChoiceForm = FieldForm & { errors: Record<string, React.ReactNode> };

interface Props {
  form: ChoiceForm;
  path: string;
  /** What is chosen at once needs no button that says so. */
  onDone?: (() => void) | undefined;
}

/** The words of a schedule. */
export function ClockChoice({ slot, path, form, onDone }: ChoiceProps) {
  const { t } = useTranslation();
  const wordName = useWordName();
  switch (slot.name) {
    case 'moment':
      return (
        <MomentChoice form={form} path={path} onDone={onDone}>
          <MomentTools form={form} nth={slot.nth ?? 0} onDone={onDone} />
        </MomentChoice>
      );
    case 'from':
    case 'to':
      return (
        <>
          <TimeField form={form} path={path} />
          <Button onClick={onDone}>{t('rules.done')}</Button>
        </>
      );
    case 'days':
      return <DaysChoice form={form} path={path} all onDone={onDone} />;
    case 'dates':
      return (
        <DateChoice form={form} path="schedule.dates" onDone={onDone}>
          <Button
            variant="subtle"
            color="var(--h-bad)"
            leftSection={<Remove size={20} aria-hidden />}
            onClick={() => {
              onDone();
              putAt(form, 'schedule', { ...form.values.schedule, dated: false });
            }}
          >
            {t('rules.program.wholeYear')}
          </Button>
        </DateChoice>
      );
    default:
      return (
        <OptionList
          label={wordName(path)}
          groups={[
            {
              options: (['skip', 'run'] as const).map((value) => ({
                value,
                label: t(`rules.program.unknown.${value}`),
                note: t(`rules.program.unknownHint.${value}`),
              })),
            },
          ]}
          chosen={form.values.schedule.if_unknown}
          onChoose={(value) => {
            form.setFieldValue(path, value);
            onDone();
          }}
        />
      );
  }
}

/** A time of day, by the browser's own field for it. */
function TimeField({ form, path, label }: { form: ChoiceForm; path: string; label?: string | undefined }) {
  const { t } = useTranslation();
  const { value } = form.getInputProps(path);
  return (
    <TextInput
      type="time"
      {...(label ? { 'aria-label': label } : { label: t('rules.program.timeOfDay') })}
      value={value}
      error={form.errors[path]}
      data-autofocus={label ? undefined : true}
      onChange={(event) => form.setFieldValue(path, event.currentTarget.value)}
    />
  );
}

/** The minutes before or after the sun's moment that people say. */
const SUN_MIN = [15, 30, 45, 60, 90, 120];

/** A time of day, or one before or after the sun rises or sets. */
export function MomentChoice({
  form,
  path,
  onDone,
  sun = true,
  label,
  children,
}: Props & { sun?: boolean; label?: string; children?: React.ReactNode }) {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useRuleWords();
  const moment: MomentFields = form.getInputProps(path).value;
  const put = (change: Partial<MomentFields>) => putAt(form, path, { ...moment, ...change });
  const problem = form.errors[`${path}.time`] ?? form.errors[`${path}.minutes`];
  return (
    <>
      {sun && (
        <Chips
          label={t('rules.program.momentBy')}
          values={['clock', 'sunrise', 'sunset'] as const}
          told={(by) => t(`rules.program.by.${by}`)}
          chosen={moment.by}
          onChoose={(by) => put({ by })}
        />
      )}
      {moment.by === 'clock' ? (
        <TimeField form={form} path={`${path}.time`} label={label} />
      ) : (
        <>
          <Chips
            label={t('rules.program.side')}
            values={['before', 'at', 'after'] as const}
            told={(side) => t(`rules.program.sides.${side}`)}
            chosen={moment.side}
            onChoose={(side) => put({ side })}
          />
          {moment.side !== 'at' && (
            <>
              <Chips
                label={t('condition.usual')}
                values={SUN_MIN}
                told={(minutes) => words.duration(minutes * 60)}
                chosen={Number(moment.minutes)}
                onChoose={(minutes) => put({ minutes: String(minutes) })}
              />
              <NumberWheel
                label={t('condition.unit.minutes')}
                text={moment.minutes}
                onText={(minutes) => put({ minutes })}
                min={1}
                max={720}
                step={5}
                start={30}
                told={format.count}
                unit={t('condition.unit.minutes')}
                valueText={(minutes) => words.duration(minutes * 60)}
                lessLabel={t('condition.less')}
                moreLabel={t('condition.more')}
                problem={problem ? String(problem) : undefined}
                problemId={`${path}-problem`}
              />
            </>
          )}
        </>
      )}
      {children}
      {onDone && <Button onClick={onDone}>{t('rules.done')}</Button>}
    </>
  );
}

/** One time of day more, or less. */
function MomentTools({ form, nth, onDone }: { form: RuleForm; nth: number; onDone: () => void }) {
  const { t } = useTranslation();
  const { at } = form.values.schedule;
  return (
    <>
      {at.length < MAX_MOMENTS && (
        <Button
          variant="default"
          leftSection={<Add size={20} aria-hidden />}
          onClick={() => {
            onDone();
            putAt(form, 'schedule.at', [...at, clockAt('18:00')]);
          }}
        >
          {t('rules.program.addMoment')}
        </Button>
      )}
      {at.length > 1 && (
        <Button
          variant="subtle"
          color="var(--h-bad)"
          leftSection={<Remove size={20} aria-hidden />}
          onClick={() => {
            onDone();
            putAt(
              form,
              'schedule.at',
              at.filter((_, i) => i !== nth),
            );
          }}
        >
          {t('rules.program.removeMoment')}
        </Button>
      )}
    </>
  );
}

/** Weekdays, each by itself; `all`: none means every day. */
export function DaysChoice({ form, path, all, onDone }: Props & { all: boolean }) {
  const { t } = useTranslation();
  const words = useRuleWords();
  const wordName = useWordName();
  const days: readonly WeekdayName[] = form.getInputProps(path).value;
  const put = (next: readonly WeekdayName[]) =>
    // All seven are every day.
    putAt(form, path, all && next.length === weekdays.length ? [] : inOrder(next));
  return (
    <>
      {all && (
        <Chips
          label={t('rules.program.everyDay')}
          values={['all']}
          told={() => t('rules.program.everyDay')}
          chosen={days.length === 0 ? 'all' : undefined}
          onChoose={() => put([])}
        />
      )}
      <Chips
        label={wordName(path)}
        values={weekdays}
        told={words.weekday}
        chosen={days}
        onChoose={(day) => put(days.includes(day) ? days.filter((each) => each !== day) : [...days, day])}
      />
      <Button onClick={onDone}>{t('rules.done')}</Button>
    </>
  );
}

const MONTHS = Array.from({ length: 12 }, (_, at) => String(at + 1).padStart(2, '0'));
const DAYS = Array.from({ length: 31 }, (_, at) => String(at + 1).padStart(2, '0'));

/** A part of the year: its first and its last day. */
export function DateChoice({ form, path, onDone, children }: Props & { children?: React.ReactNode }) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <>
      {(['from', 'to'] as const).map((end) => {
        const at = `${path}.${end}`;
        const [month = '', day = ''] = String(form.getInputProps(at).value).split('-');
        const problem = form.errors[at];
        return (
          <fieldset key={end} className={classes['dates']}>
            <legend>{t(`rules.program.dates.${end}`)}</legend>
            <NativeSelect
              aria-label={t('rules.program.day')}
              value={day}
              data={DAYS.map((value) => ({ value, label: format.count(Number(value)) }))}
              onChange={(event) => putAt(form, at, `${month}-${event.currentTarget.value}`)}
            />
            <NativeSelect
              aria-label={t('rules.program.month')}
              value={month}
              data={MONTHS.map((value) => ({ value, label: format.monthName(value) }))}
              onChange={(event) => putAt(form, at, `${event.currentTarget.value}-${day}`)}
            />
            {problem && <p className={classes['problem']}>{problem}</p>}
          </fieldset>
        );
      })}
      {children}
      <Button onClick={onDone}>{t('rules.done')}</Button>
    </>
  );
}
