// The form of a rule, new or known, in the place of the list. What it says is shown as a sentence while it is filled in.
import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import Deploy from '~icon/Rocket';
import { useDomain } from '../../i18n/domain';
import { failureText } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { Banner } from '../../ui/Banner';
import { Panel } from '../../ui/Panel';
import { ActionList } from './ActionList';
import { ConditionFields } from './ConditionFields';
import type { FarmThings } from './farm';
import {
  documentOf,
  fieldsOf,
  MAX_CLEAR_SEC,
  newFields,
  type RuleFields,
  scopesOf,
  secondsIn,
  stopLike,
  wordsOf,
  wordsOfRule,
} from './form';
import { PlaceField } from './PlaceField';
import { fieldId, HINT_BELOW, type Problem, problemsOf, refusedProblems, stillRefused } from './problems';
import { ChangedElsewhere, type Hazard, type Rule, sameDocument, useRuleCheck, useSaveRule } from './queries';
import classes from './RuleEditor.module.css';
import { useFieldName, useHazardText, useProblemText } from './wording';

interface Props {
  /** The rule that is edited, as it is now; none when making one. */
  rule: Rule | undefined;
  things: FarmThings;
  /** Leaves, with what was saved, if anything. */
  onDone: (saved?: Rule) => void;
}

/** Where the attention goes when somebody else was faster. */
const ELSEWHERE = 'elsewhere';

export function RuleEditor({ rule, things, onDone }: Props) {
  const { t } = useTranslation();
  const words = useDomain();
  const problemText = useProblemText();
  const save = useSaveRule(things.farmId);
  const [fields, setFields] = useState<RuleFields>(() => (rule ? fieldsOf(rule) : newFields(things.houses)));
  const [tried, setTried] = useState(false);
  // What the form began with: the rule may become another meanwhile, by somebody else's hand.
  const [before, setBefore] = useState(rule);
  const elsewhere =
    rule && before && !save.isPending && !save.isSuccess && !sameDocument(rule, before) ? rule : undefined;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);

  const seen = problemsOf(fields, things.devices);
  // What the server refused holds until that field is changed.
  const told = refusedProblems(save.error, fields, things.devices);
  const refused = save.isError
    ? stillRefused(
        told,
        save.variables.document,
        documentOf(fields, save.variables.document.deployed ?? false, things),
      ).filter(({ path }) => !seen.some((problem) => problem.path === path))
    : [];
  const shown = tried ? [...seen, ...refused] : [];
  const problemAt = (path: string) => {
    const problem = shown.find((candidate) => candidate.path === path);
    return problem && problemText(problem);
  };
  // The first field that is wrong has the attention after a try, not while one is typing.
  const [attention, setAttention] = useState<{ path: string }>();
  useEffect(() => {
    if (attention) document.getElementById(fieldId(attention.path))?.focus();
  }, [attention]);

  const change = (made: Partial<RuleFields>) => setFields((before) => ({ ...before, ...made }));
  const submit = (deployed: boolean) => {
    setTried(true);
    save.reset();
    if (elsewhere) {
      setAttention({ path: ELSEWHERE });
      return;
    }
    if (seen[0]) {
      setAttention({ path: seen[0].path });
      return;
    }
    save.mutate(
      { before, document: documentOf(fields, deployed, things) },
      {
        onSuccess: onDone,
        onError: (error) => {
          if (error instanceof ChangedElsewhere) setAttention({ path: ELSEWHERE });
          const [first] = refusedProblems(error, fields, things.devices);
          if (first) setAttention({ path: first.path });
        },
      },
    );
  };
  const again = () => submit(save.variables?.document.deployed ?? false);
  const scopes = scopesOf(fields, things.houses, things.farmId);
  const draft = documentOf(fields, false, things);
  const checked = useRuleCheck(things.farmId, rule ? { ...draft, id: rule.id } : draft);
  const deployed = rule?.deployed ?? false;

  return (
    <form
      className={classes['editor']}
      noValidate
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        // Enter in a field never sets a draft to work.
        submit(deployed);
      }}
    >
      <h1 ref={heading} tabIndex={-1}>
        {t(rule ? 'rules.editor.edit' : 'rules.create')}
      </h1>
      {rule?.status.phase === 'running' && <Banner tone="warn" text={t('rules.editor.running')} />}
      <div className={classes['columns']}>
        <div className={classes['main']}>
          {elsewhere && (
            <Elsewhere
              rule={elsewhere}
              things={things}
              onLoad={() => {
                setFields(fieldsOf(elsewhere));
                setBefore(elsewhere);
                setTried(false);
                save.reset();
              }}
              onKeep={() => {
                setBefore(elsewhere);
                save.reset();
              }}
            />
          )}
          {save.isError && told.length === 0 && !(save.error instanceof ChangedElsewhere) && (
            <Banner
              tone="bad"
              text={`${t('rules.failed.save')} ${failureText(t, save.error, '')}`.trim()}
              action={{ label: t('app.retry'), run: again, busy: save.isPending }}
            />
          )}
          {shown.length > 0 && <Summary problems={shown} />}
          <About fields={fields} things={things} problemAt={problemAt} onChange={change} />
          <Panel title={t('rules.editor.trigger')} hint={t('rules.editor.triggerHint')}>
            <ConditionFields
              part="trigger"
              fields={fields.trigger}
              sight={checked.trigger}
              things={things}
              problemAt={problemAt}
              onChange={(made) => change({ trigger: { ...fields.trigger, ...made } })}
            />
          </Panel>
          <Panel title={t('rules.editor.actions')} hint={t('rules.editor.actionsHint')}>
            <ActionList
              actions={fields.actions}
              place={scopes.rule}
              things={things}
              problemAt={problemAt}
              onChange={(actions) => change({ actions })}
            />
          </Panel>
          <Panel title={t('rules.editor.stop')}>
            <label className={classes['check']}>
              <input
                type="checkbox"
                checked={fields.stops}
                onChange={(event) => {
                  const stops = event.currentTarget.checked;
                  // Nothing typed yet: it starts as the opposite of the trigger.
                  change({
                    stops,
                    ...(stops && fields.stop.value === '' && { stop: stopLike(fields.trigger) }),
                  });
                }}
              />
              {t('rules.editor.stops')}
            </label>
            <p className={classes['hint']}>
              {fields.stops
                ? t('rules.editor.stopHint')
                : t('rules.editor.noStopHint', { duration: clear() })}
            </p>
            {fields.stops && (
              <ConditionFields
                part="stop_condition"
                fields={fields.stop}
                sight={checked.stop}
                things={things}
                problemAt={problemAt}
                onChange={(made) => change({ stop: { ...fields.stop, ...made } })}
              />
            )}
            <NativeSelect
              id={fieldId('on_signal_lost')}
              label={t('rules.editor.lost')}
              value={fields.onSignalLost}
              error={problemAt('on_signal_lost')}
              data={[
                { value: 'stop', label: t('rules.editor.lostStop') },
                { value: 'hold', label: t('rules.editor.lostHold') },
              ]}
              onChange={(event) =>
                change({ onSignalLost: event.currentTarget.value as RuleFields['onSignalLost'] })
              }
            />
          </Panel>
        </div>
        <aside className={classes['aside']} aria-label={t('rules.editor.preview')}>
          <Preview fields={fields} things={things} hazards={checked.hazards} />
          <Buttons
            deployed={deployed}
            known={rule !== undefined}
            pending={save.isPending ? (save.variables.document.deployed ?? false) : undefined}
            onCancel={() => onDone()}
            onSave={submit}
          />
        </aside>
      </div>
    </form>
  );

  function clear(): string {
    const held = secondsIn(fields.trigger.duration);
    return words.duration(Number.isNaN(held) ? MAX_CLEAR_SEC : Math.min(held, MAX_CLEAR_SEC));
  }
}

interface PartProps {
  fields: RuleFields;
  things: FarmThings;
  problemAt: (path: string) => string | undefined;
  onChange: (made: Partial<RuleFields>) => void;
}

/** What the rule is called, where it is and how strong. */
function About({ fields, things, problemAt, onChange }: PartProps) {
  const { t } = useTranslation();
  return (
    <Panel title={t('rules.editor.about')}>
      <div className={classes['fields']}>
        <TextInput
          id={fieldId('name')}
          label={t('form.name')}
          required
          autoComplete="off"
          className={classes['wide'] ?? ''}
          value={fields.name}
          error={problemAt('name')}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
        />
        <Textarea
          id={fieldId('description')}
          label={t('rules.editor.description')}
          description={t('form.optional')}
          inputWrapperOrder={HINT_BELOW}
          autosize={false}
          rows={2}
          className={classes['wide'] ?? ''}
          value={fields.description}
          error={problemAt('description')}
          onChange={(event) => onChange({ description: event.currentTarget.value })}
        />
        <PlaceField
          label={t('rules.editor.place')}
          hint={t('rules.editor.placeHint')}
          path="scope"
          value={fields.place}
          houses={things.houses}
          problem={problemAt('scope')}
          onChange={(place) => onChange({ place })}
        />
        <NativeSelect
          id={fieldId('mode')}
          label={t('rules.editor.mode')}
          description={t('rules.editor.modeHint')}
          inputWrapperOrder={HINT_BELOW}
          value={fields.mode}
          error={problemAt('mode')}
          data={[
            { value: 'auto', label: t('rules.active') },
            { value: 'disabled', label: t('rules.disabled') },
          ]}
          onChange={(event) => onChange({ mode: event.currentTarget.value as RuleFields['mode'] })}
        />
        <TextInput
          id={fieldId('priority')}
          label={t('rules.editor.priority')}
          description={t('rules.editor.priorityHint')}
          inputWrapperOrder={HINT_BELOW}
          type="number"
          inputMode="numeric"
          required
          min={1}
          max={10}
          step={1}
          className={classes['wide'] ?? ''}
          value={fields.priority}
          error={problemAt('priority')}
          onChange={(event) => onChange({ priority: event.currentTarget.value })}
        />
      </div>
    </Panel>
  );
}

/** Somebody else's change, which saving would undo without anybody noticing. */
function Elsewhere({
  rule,
  things,
  onLoad,
  onKeep,
}: {
  rule: Rule;
  things: FarmThings;
  onLoad: () => void;
  onKeep: () => void;
}) {
  const { t } = useTranslation();
  const words = useDomain();
  return (
    <div className={classes['elsewhere']} role="alert" id={fieldId(ELSEWHERE)} tabIndex={-1}>
      <p className={classes['elsewhereTitle']}>{t('rules.elsewhere.title')}</p>
      <p>
        {t('rules.elsewhere.now', {
          sentence: words.ruleSentence(wordsOfRule(rule, things.devices), things.houses),
        })}
      </p>
      <p>{t('rules.elsewhere.hint')}</p>
      <div className={classes['elsewhereButtons']}>
        <Button variant="default" onClick={onLoad}>
          {t('rules.elsewhere.load')}
        </Button>
        <Button variant="default" onClick={onKeep}>
          {t('rules.elsewhere.keep')}
        </Button>
      </div>
    </div>
  );
}

/** What is to be put right, each with a way to its field. */
function Summary({ problems }: { problems: readonly Problem[] }) {
  const { t } = useTranslation();
  const format = useFormat();
  const problemText = useProblemText();
  const fieldName = useFieldName();
  return (
    <div className={classes['summary']} role="alert">
      <p>{t('rules.problem.summary', { count: problems.length, value: format.count(problems.length) })}</p>
      <ul>
        {problems.map((problem) => (
          <li key={`${problem.path} ${problem.code}`}>
            <button type="button" onClick={() => document.getElementById(fieldId(problem.path))?.focus()}>
              {t('rules.problem.item', {
                field: fieldName(problem.path),
                problem: problemText(problem),
              })}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The rule as a sentence, and what one should know of it. */
function Preview({
  fields,
  things,
  hazards,
}: {
  fields: RuleFields;
  things: FarmThings;
  hazards: readonly Hazard[];
}) {
  const { t } = useTranslation();
  const words = useDomain();
  const hazardText = useHazardText(things);
  return (
    <>
      <Panel title={t('rules.editor.preview')}>
        <p className={classes['sentence']} data-preview>
          {words.ruleSentence(wordsOf(fields, things), things.houses)}
        </p>
      </Panel>
      {hazards.length > 0 && (
        <Panel title={t('rules.editor.hints')} tone="warn">
          <ul className={classes['hazards']}>
            {hazards.map((hazard) => (
              <li key={JSON.stringify(hazard)}>{hazardText(hazard)}</li>
            ))}
          </ul>
        </Panel>
      )}
    </>
  );
}

interface ButtonsProps {
  deployed: boolean;
  /** Whether it is an edit. */
  known: boolean;
  /** Whether the save under way deploys; undefined when none is. */
  pending: boolean | undefined;
  onCancel: () => void;
  onSave: (deployed: boolean) => void;
}

function Buttons({ deployed, pending, onCancel, onSave }: ButtonsProps) {
  const { t } = useTranslation();
  const busy = pending !== undefined;
  const strong = {
    loading: pending === true,
    disabled: pending === false,
    leftSection: <Deploy size={20} aria-hidden />,
  };
  const mild = { variant: 'default', loading: pending === false, disabled: pending === true };
  return (
    <div className={classes['saving']}>
      <p className={classes['hint']}>
        {t(deployed ? 'rules.editor.deployedHint' : 'rules.editor.savingHint')}
      </p>
      <div className={classes['buttons']}>
        {deployed ? (
          <>
            <Button {...strong} leftSection={null} type="submit">
              {t('rules.editor.saveDeployed')}
            </Button>
            <Button {...mild} onClick={() => onSave(false)}>
              {t('rules.editor.toDraft')}
            </Button>
          </>
        ) : (
          <>
            <Button {...strong} onClick={() => onSave(true)}>
              {t('rules.editor.saveDeploy')}
            </Button>
            <Button {...mild} type="submit">
              {t('rules.editor.saveDraft')}
            </Button>
          </>
        )}
        <Button variant="subtle" color="var(--h-ink)" disabled={busy} onClick={onCancel}>
          {t('form.cancel')}
        </Button>
      </div>
    </div>
  );
}
