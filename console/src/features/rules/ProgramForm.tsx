// The few questions of a ready program: devices, numbers, times. What it makes opens in the editor.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { sensorSpecs, useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { HINT_BELOW } from '../../screen/condition/fields';
import { Choices } from '../../ui/Choices';
import { Dialog } from '../../ui/Dialog';
import formClasses from '../../ui/form.module.css';
import { Tick } from '../../ui/Tick';
import { type Answers, type Ask, answerProblems, firstAnswers } from './asks';
import { MomentChoice } from './ClockChoice';
import type { RuleFields } from './form';
import classes from './Jobs.module.css';
import type { Device } from './queries';
import type { Ready } from './ready';
import { useRuleProblemText } from './wording';

interface Props {
  ready: Ready | undefined;
  devices: readonly Device[];
  onMake: (fields: Partial<RuleFields>) => void;
  onClose: () => void;
}

export function ProgramForm({ ready, devices, onMake, onClose }: Props) {
  const { t } = useTranslation();
  // While the window fades out it still shows what it was opened for.
  const last = useRef(ready);
  if (ready) last.current = ready;
  const shown = last.current;
  return (
    <Dialog
      opened={ready !== undefined}
      onClose={onClose}
      title={shown ? t(`rules.ready.${shown.id}.title`) : ''}
      closeLabel={t('form.close')}
    >
      {shown && <Questions key={shown.id} ready={shown} devices={devices} onMake={onMake} />}
    </Dialog>
  );
}

type QuestionsProps = Omit<Props, 'ready' | 'onClose'> & { ready: Ready };

function Questions({ ready, devices, onMake }: QuestionsProps) {
  const { t } = useTranslation();
  const problemText = useRuleProblemText();
  const element = useRef<HTMLFormElement>(null);
  const [tries, setTries] = useState(0);
  const form = useForm<Answers>({ initialValues: firstAnswers(ready.asks, ready.offered) });
  const problems = answerProblems(ready.asks, form.values, devices);
  const errors = Object.fromEntries(
    tries > 0 ? problems.map((problem) => [problem.path, problemText(problem)]) : [],
  );
  useEffect(() => {
    if (tries > 0)
      element.current?.querySelector<HTMLElement>('[aria-invalid="true"], [data-wrong]')?.focus();
  }, [tries]);
  return (
    <form
      ref={element}
      className={formClasses['form']}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        // It stands in the editor, whose form must not take it for its own.
        event.stopPropagation();
        setTries(tries + 1);
        if (problems.length === 0) onMake(ready.make(form.values));
      }}
    >
      <p>{t(`rules.ready.${ready.id}.hint`)}</p>
      {ready.asks.map((ask) => (
        <Question
          key={ask.kind === 'unknown' ? 'unknown' : ask.name}
          ask={ask}
          offered={ready.offered(ask)}
          form={{ ...form, errors }}
        />
      ))}
      <Button type="submit">{t('rules.ready.make')}</Button>
    </form>
  );
}

interface QuestionProps {
  ask: Ask;
  offered: readonly Device[];
  form: ReturnType<typeof useForm<Answers>> & { errors: Record<string, unknown> };
}

function Question({ ask, offered, form }: QuestionProps) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  switch (ask.kind) {
    case 'devices':
      return <DeviceQuestion ask={ask} offered={offered} form={form} />;
    case 'number': {
      const path = `numbers.${ask.name}`;
      return (
        <TextInput
          {...form.getInputProps(path)}
          error={form.errors[path]}
          label={t(`rules.ask.${ask.name}`)}
          description={t(`condition.unit.${ask.unit}`)}
          inputWrapperOrder={HINT_BELOW}
          type="number"
          inputMode="numeric"
          required
          min={ask.min}
          max={ask.max}
        />
      );
    }
    case 'value': {
      const { min, max } = sensorSpecs[ask.sensor];
      const path = `numbers.${ask.name}`;
      return (
        <TextInput
          {...form.getInputProps(path)}
          error={form.errors[path]}
          label={t(`rules.ask.${ask.compared}`, { quantity: words.quantity(ask.sensor) })}
          description={t('condition.range', {
            from: format.reading(min),
            to: words.amount(ask.sensor, max),
          })}
          inputWrapperOrder={HINT_BELOW}
          type="number"
          inputMode={min < 0 ? 'text' : 'decimal'}
          required
          min={min}
          max={max}
          step="any"
        />
      );
    }
    case 'time': {
      const path = `times.${ask.name}`;
      return (
        <fieldset className={classes['ask']}>
          <legend>{t(`rules.ask.${ask.name}`)}</legend>
          <MomentChoice form={form} path={path} sun={ask.sun ?? false} label={t(`rules.ask.${ask.name}`)} />
        </fieldset>
      );
    }
    case 'unknown':
      return (
        <Choices
          label={t('rules.ask.unknown')}
          name="unknown"
          choices={(['skip', 'run'] as const).map((value) => ({
            value,
            label: t(`rules.program.unknown.${value}`),
          }))}
          value={form.values.unknown}
          onChange={(value) => form.setFieldValue('unknown', value as Answers['unknown'])}
          error={form.errors['unknown']}
        />
      );
  }
}

type DevicesProps = QuestionProps & { ask: Extract<Ask, { kind: 'devices' }> };

/** One device is chosen of a list, several are ticked in the order in which they are to run. */
function DeviceQuestion({ ask, offered, form }: DevicesProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const path = `devices.${ask.name}`;
  const chosen = form.values.devices[ask.name] ?? [];
  const put = (ids: readonly string[]) => form.setFieldValue(path, ids);
  const label = t(ask.inTurn ? 'rules.ask.inTurn' : `rules.ask.${ask.name}`);
  const error = form.errors[path];
  if (!ask.many)
    return (
      <NativeSelect
        label={label}
        error={error}
        value={chosen[0] ?? ''}
        data={[
          { value: '', label: t(ask.optional ? 'rules.ask.none' : 'rules.open.device') },
          ...offered.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onChange={(event) => put(event.currentTarget.value === '' ? [] : [event.currentTarget.value])}
      />
    );
  return (
    <fieldset className={classes['ask']}>
      <legend>{label}</legend>
      {offered.map(({ id, name }, nth) => {
        const at = chosen.indexOf(id);
        return (
          <Tick
            key={id}
            checked={at >= 0}
            wrong={Boolean(error) && nth === 0}
            onChange={() => put(at >= 0 ? chosen.filter((each) => each !== id) : [...chosen, id])}
          >
            {at >= 0 && ask.inTurn ? t('rules.ask.turn', { name, number: format.count(at + 1) }) : name}
          </Tick>
        );
      })}
      {error && <p className={classes['wrong']}>{error}</p>}
    </fieldset>
  );
}
