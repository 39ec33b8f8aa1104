// The editor of a rule, new or known, in the place of the list: the rule is a sentence, and the sentence is the form.
import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../api/errors';
import { useMay } from '../../api/permissions';
import { registeredSensorsQuery } from '../../api/queries';
import { failedPart } from '../../i18n/failure';
import { useRuleWords } from '../../i18n/rule-words';
import { ChangedMeanwhile } from '../../screen/ChangedMeanwhile';
import { TryRule } from '../../screen/explained/parts';
import { Unfolding } from '../../screen/explained/Unfolding';
import { useRecordForm } from '../../screen/useRecordForm';
import { Banner } from '../../ui/Banner';
import { Chips } from '../../ui/Chips';
import { Adds } from './Adds';
import { noAnswers } from './asks';
import type { FarmThings } from './farm';
import { type Begun, documentOf, fieldsOf, isUntouched, newFields, type RuleFields, scopesOf } from './form';
import { Jobs } from './Jobs';
import { LockedRule } from './LockedRule';
import { aloneIn } from './leaves';
import { MoreFields } from './MoreFields';
import { problemsOf } from './problems';
import { type Rule, saveRule, useRuleCheck } from './queries';
import { Hazards, OwnersWord, SaveButtons, Summary } from './RuleAside';
import classes from './RuleEditor.module.css';
import { Now } from './RuleStanding';
import { jobsAt } from './recipes';
import { Sentence } from './Sentence';
import type { Starts } from './schedule';
import { formPath } from './slots';
import { useRuleProblemText, useSuggestedName } from './wording';
import { wordsOf, wordsOfRule } from './words';

interface Props {
  /** The rule that is edited, as it is now; none when making one. */
  rule: Rule | undefined;
  /** What a new one begins with. */
  begun?: Begun | undefined;
  things: FarmThings;
  /** Leaves, with what was saved, if anything. */
  onDone: (saved?: Rule) => void;
}

/** The id under which a rule is tried that has none yet. */
const TRIED = 'tried';
const STARTS: readonly Starts[] = ['condition', 'at', 'every'];

/** What the form cannot take apart is shown as it is; what became so while it was open, once the person asks for it. */
export default function RuleEditor(props: Props) {
  const [begun] = useState(props.rule);
  const [locked, setLocked] = useState(begun && !fieldsOf(begun) ? begun : undefined);
  return locked ? (
    <LockedRule
      // What somebody made of it since is newer than what it was when it was opened.
      rule={props.rule && !fieldsOf(props.rule) ? props.rule : locked}
      rules={props.things.rules}
      things={props.things}
      onLeave={() => props.onDone()}
    />
  ) : (
    <RuleForm {...props} onLocked={setLocked} />
  );
}

function RuleForm({
  rule,
  begun,
  things: farm,
  onDone,
  onLocked,
}: Props & { onLocked: (rule: Rule) => void }) {
  // A rule cannot wait for itself.
  const things = { ...farm, rules: farm.rules.filter(({ id }) => id !== rule?.id) };
  const { t } = useTranslation();
  const words = useRuleWords();
  const problemText = useRuleProblemText();
  const suggested = useSuggestedName();
  const may = useMay();
  // The kinds of hazard that an owner has seen and deploys the rule over; others that come later are none of them.
  const [word, setWord] = useState<readonly string[]>([]);
  const nameOf = (fields: RuleFields) => (fields.named ? fields.name : suggested(wordsOf(fields, things)));
  const record = useRecordForm<Rule, RuleFields, Rule, { deployed: boolean }>({
    farmId: things.farmId,
    known: rule,
    // A rule that the fields cannot say does not get here.
    values: (known) => (known && fieldsOf(known)) ?? newFields(things.houses, begun),
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
        deployed && given ? blocking : [],
      ),
    pathOf: formPath,
    problemText,
    onSaved: onDone,
  });
  const { form, send, again, sending, error, elsewhere, changed, goOn, element } = record;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const fields = form.values;
  const draft = documentOf(fields, false, things);
  const checked = useRuleCheck(things.farmId, rule ? { ...draft, id: rule.id } : draft);
  const blocking = [
    ...new Set(checked.found.filter(({ grade }) => grade === 'blocking').map(({ what }) => what.kind)),
  ];
  const given = blocking.every((kind) => word.includes(kind));
  const sensors = useQuery(registeredSensorsQuery(things.farmId)).data;
  // Where a rule about a quantity is asked for and one usual job is about it, that is written at once; it can be changed as any other.
  const written = useRef(false);
  useEffect(() => {
    if (written.current || rule || !begun?.type || !sensors) return;
    written.current = true;
    const jobs = jobsAt(scopesOf(fields, things).rule, sensors, things.devices, things.houses);
    const [job, ...others] = jobs.filter(({ sensor }) => sensor === begun.type);
    if (job && others.length === 0 && isUntouched(fields)) form.setValues(job.make(noAnswers));
  });
  const deployed = rule?.deployed ?? false;
  const explained = error instanceof ApiError && error.problems.length > 0;
  const now = changed && wordsOfRule(changed.current as Rule, things.devices, things.rules, things.setpoints);
  // What somebody else made of it is more than the form can take apart: nothing of it is put into fields.
  const lockedNow = changed && !fieldsOf(changed.current as Rule) ? (changed.current as Rule) : undefined;
  const alone = fields.starts === 'condition' ? aloneIn(fields.trigger) : undefined;
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
          goOn={lockedNow ? () => onLocked(lockedNow) : goOn}
          {...(lockedNow && { note: t('rules.program.theirsLocked') })}
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
        <div className={classes['starts']}>
          <Chips
            label={t('rules.program.starts')}
            values={STARTS}
            told={(value) => t(`rules.program.startsBy.${value}`)}
            chosen={fields.starts}
            onChoose={(starts) => form.setFieldValue('starts', starts)}
          />
        </div>
        <Sentence form={form} things={things} sensors={sensors} {...checked} />
        {alone && checked.trigger && (
          <p className={classes['now']} data-now>
            <Now sight={checked.trigger} type={alone.sensor_type} />
          </p>
        )}
        <Hazards hazards={checked.hazards} found={checked.found} things={things} />
        <Adds form={form} noActions={Boolean(noActions)} />
      </section>
      {!rule && isUntouched(fields) && (
        <Jobs
          place={scopesOf(fields, things).rule}
          sensors={sensors}
          about={begun?.type}
          things={things}
          onChoose={(made) => {
            form.setValues(made);
            // The list goes: what it made of the sentence is what comes next.
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
      <Unfolding title={t('why.explained.try')}>
        <TryRule farmId={things.farmId} rule={{ ...draft, name: nameOf(fields), id: rule?.id ?? TRIED }} />
      </Unfolding>
      {blocking.length > 0 && (
        <OwnersWord
          mayGive={may('rules:over_hazards')}
          given={given}
          onGive={(now) => setWord(now ? blocking : [])}
        />
      )}
      <SaveButtons
        deployed={deployed}
        byClock={fields.starts !== 'condition'}
        pending={sending?.how.deployed}
        waits={changed !== undefined}
        onSave={(how) => send({ deployed: how })}
      />
    </form>
  );
}
