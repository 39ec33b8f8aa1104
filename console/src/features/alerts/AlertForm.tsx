// The form of one alert rule, new or known (spec 2.14 and 5).
import { NativeSelect, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useUndelivered } from '../../api/delivery';
import { devicesQuery } from '../../api/queries';
import { PlaceField } from '../../screen/condition/PlaceField';
import { scopeOf } from '../../screen/condition/places';
import { SpanField } from '../../screen/condition/SpanField';
import { FormDialog } from '../../screen/FormDialog';
import { Banner } from '../../ui/Banner';
import formClasses from '../../ui/form.module.css';
import { Tick } from '../../ui/Tick';
import { channelNames, evidenceNames, severityNames } from './AlertCard';
import classes from './Alerts.module.css';
import {
  type Alert,
  channels,
  type Draft,
  draftOf,
  evidences,
  fieldsOf,
  MIN_REPEAT,
  newDraft,
  type Polyhouse,
  problemsOf,
  repeatUnits,
  severities,
} from './alert';
import { ConditionList } from './ConditionList';
import { type OnlyIf, onlyIfOf } from './only-if';
import { saveAlert } from './queries';
import { SubscribersField } from './SubscribersField';
import { useAlertProblemText, useOnlyIfText } from './words';

interface Props {
  farmId: string;
  opened: boolean;
  onClose: () => void;
  /** What is edited; nothing when adding. */
  alert: Alert | undefined;
  houses: readonly Polyhouse[];
}

type Form = UseFormReturnType<Draft>;

export function AlertForm({ farmId, alert, houses, ...dialog }: Props) {
  const { t } = useTranslation();
  const problemText = useAlertProblemText();
  return (
    <FormDialog<Alert, Draft>
      {...dialog}
      farmId={farmId}
      title={t(alert ? 'alerts.edit' : 'alerts.new')}
      failed={t('alerts.saveFailed')}
      gone={t('alerts.gone')}
      known={alert}
      values={(known) => (known ? draftOf(known) : newDraft())}
      check={(draft) =>
        Object.fromEntries(problemsOf(draft).map((problem) => [problem.path, problemText(problem)]))
      }
      problemText={problemText}
      save={(draft, known, headers) =>
        saveAlert(farmId, known, fieldsOf(draft, scopeOf(draft.scope, houses, farmId)), headers)
      }
    >
      {(form, known) => (
        <>
          {known && <Banner tone="quiet" text={t('alerts.savingActivates')} />}
          <TextInput
            {...form.getInputProps('name')}
            label={t('alerts.name')}
            name="name"
            required
            autoComplete="off"
            data-autofocus
          />
          <PlaceField form={form} path="scope" label={t('alerts.where')} houses={houses} />
          <ConditionList form={form} />
          <NativeSelect
            {...form.getInputProps('evidence')}
            label={t('alerts.evidence.label')}
            description={t('alerts.evidence.hint')}
            data={evidences.map((value) => ({ value, label: t(evidenceNames[value]) }))}
          />
          <OnlyIfField farmId={farmId} form={form} />
          <NativeSelect
            {...form.getInputProps('severity')}
            label={t('alerts.severity.label')}
            data={severities.map((value) => ({ value, label: t(severityNames[value]) }))}
          />
          <SpanField
            form={form}
            path="repeatsIn"
            label={t('alerts.repeats')}
            hint={t('alerts.repeatsHint')}
            units={repeatUnits}
            min={MIN_REPEAT}
          />
          <Channels form={form} />
          <SubscribersField farmId={farmId} form={form} />
          <More form={form} />
        </>
      )}
    </FormDialog>
  );
}

function OnlyIfField({ farmId, form }: { farmId: string; form: Form }) {
  const { t } = useTranslation();
  const devices = useQuery(devicesQuery(farmId)).data ?? [];
  const { kept, onlyIf } = form.values;
  const label = useOnlyIfText();
  const choices: OnlyIf[] = ['always', 'night', ...devices.map(({ id }): OnlyIf => `device:${id}`)];
  if (kept && onlyIfOf(kept) === 'other') choices.push('other');
  // A device that is gone stays a choice until another is chosen.
  if (!choices.includes(onlyIf)) choices.push(onlyIf);
  return (
    <NativeSelect
      {...form.getInputProps('onlyIf')}
      label={t('alerts.onlyIf.label')}
      description={t('alerts.onlyIf.hint')}
      data={choices.map((value) => ({ value, label: label(value, devices) }))}
    />
  );
}

function Channels({ form }: { form: Form }) {
  const { t } = useTranslation();
  const undelivered = useUndelivered();
  const hint = useId();
  const chosen = form.values.channels;
  return (
    <fieldset className={classes['group']} aria-describedby={hint}>
      <legend>{t('alerts.channels')}</legend>
      <div className={classes['ticks']}>
        {channels.map((channel) => (
          <Tick
            key={channel}
            checked={chosen.includes(channel)}
            onChange={() =>
              form.setFieldValue(
                'channels',
                channels.filter((other) => chosen.includes(other) !== (other === channel)),
              )
            }
          >
            {t(channelNames[channel])}
          </Tick>
        ))}
      </div>
      <div id={hint}>
        {form.errors['channels'] && <p className={classes['problem']}>{form.errors['channels']}</p>}
        {undelivered && <p className={classes['hint']}>{t('alerts.keptInApp')}</p>}
      </div>
    </fieldset>
  );
}

/** What most alerts leave as it is. */
function More({ form }: { form: Form }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  // Folded, a mistake inside could not be seen.
  const wrong = ['match', 'hold_sec', 'clear_sec'].some((path) => form.errors[path]);
  return (
    <details
      className={classes['more']}
      open={open || wrong}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{t('alerts.more')}</summary>
      <div className={formClasses['form']}>
        <NativeSelect
          {...form.getInputProps('match')}
          label={t('alerts.match')}
          data={[
            { value: 'all', label: t('alerts.matchAll') },
            { value: 'any', label: t('alerts.matchAny') },
          ]}
        />
        <SpanField form={form} path="hold_sec" label={t('alerts.hold')} hint={t('alerts.holdHint')} />
        <SpanField form={form} path="clear_sec" label={t('alerts.clear')} hint={t('alerts.clearHint')} />
      </div>
    </details>
  );
}
