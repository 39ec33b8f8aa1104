// The editor of a rule, new or known, in the place of the list: the rule is a sentence, and the sentence is the form.
import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import Add from '~icon/Plus';
import { ApiError } from '../../api/errors';
import { registeredSensorsQuery, rulesQuery } from '../../api/queries';
import { failedPart } from '../../i18n/failure';
import { useRuleWords } from '../../i18n/rule-words';
import { ChangedMeanwhile } from '../../screen/ChangedMeanwhile';
import { useRecordForm } from '../../screen/useRecordForm';
import { Banner } from '../../ui/Banner';
import type { FarmThings } from './farm';
import {
  documentOf,
  fieldsOf,
  isUntouched,
  MAX_ACTIONS,
  newAction,
  newFields,
  type RuleFields,
  scopesOf,
  stopLike,
  wordsOf,
  wordsOfRule,
} from './form';
import { Jobs } from './Jobs';
import { MoreFields } from './MoreFields';
import { problemsOf } from './problems';
import { type Rule, saveRule, useRuleCheck } from './queries';
import { Hazards, SaveButtons, Summary } from './RuleAside';
import classes from './RuleEditor.module.css';
import { Now } from './RuleStanding';
import { Sentence } from './Sentence';
import { useRuleProblemText, useSuggestedName } from './wording';

interface Props {
  /** The rule that is edited, as it is now; none when making one. */
  rule: Rule | undefined;
  things: FarmThings;
  /** Leaves, with what was saved, if anything. */
  onDone: (saved?: Rule) => void;
}

export default function RuleEditor({ rule, things, onDone }: Props) {
  const { t } = useTranslation();
  const words = useRuleWords();
  const problemText = useRuleProblemText();
  const suggested = useSuggestedName();
  const nameOf = (fields: RuleFields) => (fields.named ? fields.name : suggested(wordsOf(fields, things)));
  const record = useRecordForm<Rule, RuleFields, Rule, { deployed: boolean }>({
    farmId: things.farmId,
    known: rule,
    // A rule that the fields cannot say does not get here (`Rules`).
    values: (known) => (known && fieldsOf(known)) ?? newFields(things.houses),
    check: (fields) =>
      Object.fromEntries(
        problemsOf(fields, things.devices).map((problem) => [problem.path, problemText(problem)]),
      ),
    save: (fields, known, headers, { deployed }) =>
      saveRule(
        things.farmId,
        known,
        documentOf({ ...fields, name: nameOf(fields) }, deployed, things),
        headers,
      ),
    problemText,
    onSaved: onDone,
  });
  const { form, send, again, sending, error, elsewhere, changed, goOn, element } = record;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const fields = form.values;
  const draft = documentOf(fields, false, things);
  const checked = useRuleCheck(things.farmId, rule ? { ...draft, id: rule.id } : draft);
  const sensors = useQuery(registeredSensorsQuery(things.farmId)).data;
  const rules = useQuery(rulesQuery(things.farmId)).data;
  const deployed = rule?.deployed ?? false;
  const explained = error instanceof ApiError && error.problems.length > 0;
  const now = changed && wordsOfRule(changed.current as Rule, things.devices, rules);
  const noActions = form.errors['actions'];

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
      <div className={classes['head']}>
        <h1 ref={heading} tabIndex={-1}>
          {t(rule ? 'rules.editor.edit' : 'rules.create')}
        </h1>
        <Button
          variant="subtle"
          color="var(--h-ink)"
          disabled={sending !== undefined}
          onClick={() => onDone()}
        >
          {t('form.cancel')}
        </Button>
      </div>
      {rule?.status.phase === 'running' && <Banner tone="warn" text={t('rules.editor.running')} />}
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
      <section className={classes['panel']} aria-label={t('rules.editor.preview')}>
        <Sentence form={form} things={things} sensors={sensors} {...checked} />
        {checked.trigger && (
          <p className={classes['now']} data-now>
            <Now sight={checked.trigger} type={fields.trigger.sensor_type} />
          </p>
        )}
        <Hazards hazards={checked.hazards} things={things} />
        <div className={classes['adds']}>
          <Button
            data-path="actions"
            data-wrong={noActions ? '' : undefined}
            variant="default"
            leftSection={<Add size={18} aria-hidden />}
            disabled={fields.actions.length >= MAX_ACTIONS}
            onClick={() => form.insertListItem('actions', newAction(fields.actions))}
          >
            {t('rules.editor.addAction')}
          </Button>
          {!fields.stops && (
            <Button
              variant="default"
              leftSection={<Add size={18} aria-hidden />}
              onClick={() => {
                form.setFieldValue('stops', true);
                if (fields.stop_condition.value === '')
                  form.setFieldValue('stop_condition', stopLike(fields.trigger));
              }}
            >
              {t('rules.addStop')}
            </Button>
          )}
        </div>
      </section>
      {!rule && isUntouched(fields) && (
        <Jobs
          place={scopesOf(fields, things).rule}
          sensors={sensors}
          things={things}
          onChoose={(job) => {
            form.setValues(job.fields);
            // The list of jobs goes: what they made of the sentence is what comes next.
            heading.current?.focus();
          }}
        />
      )}
      <TextInput
        {...form.getInputProps('name')}
        label={t('form.name')}
        required
        autoComplete="off"
        value={nameOf(fields)}
        onChange={(event) => {
          form.setFieldValue('named', true);
          form.setFieldValue('name', event.currentTarget.value);
        }}
      />
      <MoreFields form={form} things={things} />
      <SaveButtons
        deployed={deployed}
        pending={sending?.how.deployed}
        waits={changed !== undefined}
        onSave={(how) => send({ deployed: how })}
      />
    </form>
  );
}
