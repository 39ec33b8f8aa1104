// What stands about a rule's sentence: what is to be put right, what one should know of it, and the ways to save it.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import Warn from '~icon/AlertTriangle';
import Deploy from '~icon/Rocket';
import { useFormat } from '../../i18n/format';
import { Checkbox } from '../../ui/Checkbox';
import type { FarmThings } from './farm';
import type { RuleForm } from './form';
import { useExampleText, useFoundText } from './found';
import type { FoundHazard, Hazard } from './queries';
import classes from './RuleEditor.module.css';
import { merged, useFieldName, useHazardText } from './wording';

/** What one should know of the rule before it runs. */
export function Hazards({
  hazards,
  found,
  things,
}: {
  hazards: readonly Hazard[];
  found: readonly FoundHazard[];
  things: FarmThings;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const hazardText = useHazardText(things);
  const foundText = useFoundText(things);
  const exampleText = useExampleText(things);
  return (
    <ul className={classes['hazards']} aria-label={t('rules.editor.hints')} aria-live="polite">
      {merged(hazards, format.list).map((hazard) => (
        <li key={JSON.stringify(hazard)}>
          <Warn size={20} aria-hidden />
          {hazardText(hazard)}
        </li>
      ))}
      {found.map((hazard) => (
        <li key={JSON.stringify(hazard)} data-grade={hazard.grade}>
          <Warn size={20} aria-hidden />
          <span>
            {foundText(hazard)} <small>{exampleText(hazard)}</small>
          </span>
        </li>
      ))}
    </ul>
  );
}

/** An owner's word that a rule is deployed over what would do damage. */
export function OwnersWord({
  mayGive,
  given,
  onGive,
}: {
  mayGive: boolean;
  given: boolean;
  onGive: (given: boolean) => void;
}) {
  const { t } = useTranslation();
  return (
    <div className={classes['word']} role="note">
      <p>{t('rules.found.blocking')}</p>
      {mayGive && (
        <Checkbox
          checked={given}
          label={t('rules.found.over')}
          onChange={(event) => onGive(event.currentTarget.checked)}
        />
      )}
    </div>
  );
}

/** What is to be put right, each with a way to its word or field. */
export function Summary({ form, elsewhere }: { form: RuleForm; elsewhere: readonly string[] }) {
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

interface ButtonsProps {
  deployed: boolean;
  /** Whether it starts by the clock. */
  byClock: boolean;
  /** Whether the save under way deploys; undefined when none is. */
  pending: boolean | undefined;
  /** Whether something is to be decided before it can be saved. */
  waits: boolean;
  onSave: (deployed: boolean) => void;
}

export function SaveButtons({ deployed, byClock, pending, waits, onSave }: ButtonsProps) {
  const { t } = useTranslation();
  const strong = { loading: pending === true, disabled: waits || pending === false };
  const mild = { variant: 'default', loading: pending === false, disabled: waits || pending === true };
  return (
    <div className={classes['saving']}>
      <p className={classes['hint']}>
        {t(
          deployed
            ? 'rules.editor.deployedHint'
            : byClock
              ? 'rules.program.savingHint'
              : 'rules.editor.savingHint',
        )}
      </p>
      {deployed ? (
        <>
          <Button {...strong} type="submit">
            {t('rules.editor.saveDeployed')}
          </Button>
          <Button {...mild} onClick={() => onSave(false)}>
            {t('rules.editor.toDraft')}
          </Button>
        </>
      ) : (
        <>
          <Button {...strong} leftSection={<Deploy size={20} aria-hidden />} onClick={() => onSave(true)}>
            {t('rules.editor.saveDeploy')}
          </Button>
          <Button {...mild} type="submit">
            {t('rules.editor.saveDraft')}
          </Button>
        </>
      )}
    </div>
  );
}
