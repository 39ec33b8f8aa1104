// What stands beside a rule's form: what it says so far, and the ways to save it.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import Deploy from '~icon/Rocket';
import { useDomain } from '../../i18n/domain';
import { Panel } from '../../ui/Panel';
import type { FarmThings } from './farm';
import { type RuleFields, wordsOf } from './form';
import type { Hazard } from './queries';
import classes from './RuleEditor.module.css';
import { useHazardText } from './wording';

/** The rule as a sentence, and what one should know of it. */
export function Preview({
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
  /** Whether the save under way deploys; undefined when none is. */
  pending: boolean | undefined;
  /** Whether something is to be decided before it can be saved. */
  waits: boolean;
  onCancel: () => void;
  onSave: (deployed: boolean) => void;
}

export function SaveButtons({ deployed, pending, waits, onCancel, onSave }: ButtonsProps) {
  const { t } = useTranslation();
  const strong = { loading: pending === true, disabled: waits || pending === false };
  const mild = { variant: 'default', loading: pending === false, disabled: waits || pending === true };
  return (
    <div className={classes['saving']}>
      <p className={classes['hint']}>
        {t(deployed ? 'rules.editor.deployedHint' : 'rules.editor.savingHint')}
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
      <Button variant="subtle" color="var(--h-ink)" disabled={pending !== undefined} onClick={onCancel}>
        {t('form.cancel')}
      </Button>
    </div>
  );
}
