// The form of a rule, new or known, in the place of the list. What it says is shown as a sentence while it is filled in.
import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../api/errors';
import { useDomain } from '../../i18n/domain';
import { failedPart } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { ChangedMeanwhile } from '../../screen/ChangedMeanwhile';
import { HINT_BELOW } from '../../screen/condition/fields';
import { PlaceField } from '../../screen/condition/PlaceField';
import { secondsIn } from '../../screen/condition/span';
import { useRecordForm } from '../../screen/useRecordForm';
import { Banner } from '../../ui/Banner';
import { Panel } from '../../ui/Panel';
import { ActionList } from './ActionList';
import { ConditionPart } from './ConditionPart';
import type { FarmThings } from './farm';
import {
  documentOf,
  fieldsOf,
  MAX_CLEAR_SEC,
  newFields,
  type RuleFields,
  scopesOf,
  stopLike,
  wordsOfRule,
} from './form';
import { problemsOf } from './problems';
import { type Rule, saveRule, useRuleCheck } from './queries';
import { Preview, SaveButtons } from './RuleAside';
import classes from './RuleEditor.module.css';
import { useFieldName, useRuleProblemText } from './wording';

interface Props {
  /** The rule that is edited, as it is now; none when making one. */
  rule: Rule | undefined;
  things: FarmThings;
  /** Leaves, with what was saved, if anything. */
  onDone: (saved?: Rule) => void;
}

export default function RuleEditor({ rule, things, onDone }: Props) {
  const { t } = useTranslation();
  const words = useDomain();
  const problemText = useRuleProblemText();
  const record = useRecordForm<Rule, RuleFields, Rule, { deployed: boolean }>({
    farmId: things.farmId,
    known: rule,
    values: (known) => (known ? fieldsOf(known) : newFields(things.houses)),
    check: (fields) =>
      Object.fromEntries(
        problemsOf(fields, things.devices).map((problem) => [problem.path, problemText(problem)]),
      ),
    save: (fields, known, headers, { deployed }) =>
      saveRule(things.farmId, known, documentOf(fields, deployed, things), headers),
    problemText,
    onSaved: onDone,
  });
  const { form, send, again, sending, error, elsewhere, changed, goOn, element } = record;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const fields = form.values;
  const scopes = scopesOf(fields, things);
  const draft = documentOf(fields, false, things);
  const checked = useRuleCheck(things.farmId, rule ? { ...draft, id: rule.id } : draft);
  const deployed = rule?.deployed ?? false;
  const explained = error instanceof ApiError && error.problems.length > 0;
  const now = changed && wordsOfRule(changed.current as Rule, things.devices);

  return (
    <form
      ref={element}
      className={classes['editor']}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        // Enter in a field never sets a draft to work.
        send({ deployed });
      }}
    >
      <h1 ref={heading} tabIndex={-1}>
        {t(rule ? 'rules.editor.edit' : 'rules.create')}
      </h1>
      {rule?.status.phase === 'running' && <Banner tone="warn" text={t('rules.editor.running')} />}
      <div className={classes['columns']}>
        <div className={classes['main']}>
          {changed && now && (
            <ChangedMeanwhile
              changed={changed}
              now={t('rules.nowSays', { sentence: words.ruleSentence(now, things.houses) })}
              goOn={goOn}
            />
          )}
          {error && !changed && !explained && (
            <Banner
              {...failedPart(t, { error, isFetching: false, refetch: again }, t('rules.failed.save'))}
              tone="bad"
            />
          )}
          <Summary form={form} elsewhere={elsewhere} />
          <About form={form} things={things} />
          <Panel title={t('rules.editor.trigger')} hint={t('rules.editor.triggerHint')}>
            <ConditionPart
              form={form}
              part="trigger"
              fields={fields.trigger}
              sight={checked.trigger}
              things={things}
            />
          </Panel>
          <Panel title={t('rules.editor.actions')} hint={t('rules.editor.actionsHint')}>
            <ActionList form={form} place={scopes.rule} things={things} />
          </Panel>
          <Panel title={t('rules.editor.stop')}>
            <label className={classes['check']}>
              <input
                type="checkbox"
                checked={fields.stops}
                onChange={(event) => {
                  const stops = event.currentTarget.checked;
                  form.setFieldValue('stops', stops);
                  // Nothing typed yet: it starts as the opposite of the trigger.
                  if (stops && fields.stop_condition.value === '')
                    form.setFieldValue('stop_condition', stopLike(fields.trigger));
                }}
              />
              {t('rules.editor.stops')}
            </label>
            <p className={classes['hint']}>
              {fields.stops
                ? t('rules.editor.stopHint')
                : t('rules.editor.noStopHint', { duration: words.duration(clearSec(fields)) })}
            </p>
            {fields.stops && (
              <ConditionPart
                form={form}
                part="stop_condition"
                fields={fields.stop_condition}
                sight={checked.stop}
                things={things}
              />
            )}
            <NativeSelect
              {...form.getInputProps('on_signal_lost')}
              label={t('rules.editor.lost')}
              data={[
                { value: 'stop', label: t('rules.editor.lostStop') },
                { value: 'hold', label: t('rules.editor.lostHold') },
              ]}
            />
          </Panel>
        </div>
        <aside className={classes['aside']} aria-label={t('rules.editor.preview')}>
          <Preview fields={fields} things={things} hazards={checked.hazards} />
          <SaveButtons
            deployed={deployed}
            pending={sending?.how.deployed}
            waits={changed !== undefined}
            onCancel={() => onDone()}
            onSave={(how) => send({ deployed: how })}
          />
        </aside>
      </div>
    </form>
  );
}

/** How long the trigger has to be false before a rule without a stop condition ends. */
function clearSec({ trigger }: RuleFields): number {
  const held = secondsIn(trigger.duration_sec);
  return Number.isNaN(held) ? MAX_CLEAR_SEC : Math.min(held, MAX_CLEAR_SEC);
}

type RuleForm = UseFormReturnType<RuleFields>;

/** What the rule is called, where it is and how strong. */
function About({ form, things }: { form: RuleForm; things: FarmThings }) {
  const { t } = useTranslation();
  const wide = { inputWrapperOrder: HINT_BELOW, className: classes['wide'] ?? '' };
  return (
    <Panel title={t('rules.editor.about')}>
      <div className={classes['fields']}>
        <TextInput
          {...form.getInputProps('name')}
          {...wide}
          label={t('form.name')}
          required
          autoComplete="off"
        />
        <Textarea
          {...form.getInputProps('description')}
          {...wide}
          label={t('rules.editor.description')}
          description={t('form.optional')}
          autosize={false}
          rows={2}
        />
        <PlaceField
          form={form}
          path="scope"
          label={t('rules.editor.place')}
          hint={t('rules.editor.placeHint')}
          houses={things.houses}
        />
        <NativeSelect
          {...form.getInputProps('mode')}
          label={t('rules.editor.mode')}
          description={t('rules.editor.modeHint')}
          inputWrapperOrder={HINT_BELOW}
          data={[
            { value: 'auto', label: t('rules.active') },
            { value: 'disabled', label: t('rules.disabled') },
          ]}
        />
        <TextInput
          {...form.getInputProps('priority')}
          {...wide}
          label={t('rules.editor.priority')}
          description={t('rules.editor.priorityHint')}
          type="number"
          inputMode="numeric"
          required
          min={1}
          max={10}
          step={1}
        />
      </div>
    </Panel>
  );
}

/** What is to be put right, each with a way to its field. */
function Summary({ form, elsewhere }: { form: RuleForm; elsewhere: readonly string[] }) {
  const { t } = useTranslation();
  const format = useFormat();
  const fieldName = useFieldName();
  const placed = Object.entries(form.errors);
  const count = placed.length + elsewhere.length;
  if (count === 0) return null;
  return (
    <div className={classes['summary']} role="alert">
      <p>{t('rules.problem.summary', { count, value: format.count(count) })}</p>
      <ul>
        {placed.map(([path, problem]) => (
          <li key={path}>
            <button type="button" onClick={() => form.getInputNode(path)?.focus()}>
              {t('rules.problem.item', { field: fieldName(path), problem: String(problem) })}
            </button>
          </li>
        ))}
        {elsewhere.map((problem) => (
          <li key={problem}>{t('rules.problem.item', { field: t('rules.problem.other'), problem })}</li>
        ))}
      </ul>
    </div>
  );
}
