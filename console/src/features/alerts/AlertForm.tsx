// The form of one alert rule, new or known (spec 2.14 and 5).
import { Button, NativeSelect, TextInput } from '@mantine/core';
import type { TFunction } from 'i18next';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../api/errors';
import type { Farm } from '../../api/farms';
import { useDomain } from '../../i18n/domain';
import { failureText } from '../../i18n/failure';
import { Banner } from '../../ui/Banner';
import formClasses from '../../ui/form.module.css';
import { Tick } from '../../ui/Tick';
import { channelNames, evidenceNames, severityNames } from './AlertCard';
import classes from './Alerts.module.css';
import {
  type Alert,
  type Channel,
  channels,
  type Draft,
  draftOf,
  durationUnits,
  evidences,
  fieldsOf,
  hasMistakes,
  MIN_REPEAT,
  mistakesOf,
  newDraft,
  type Polyhouse,
  placeKey,
  placesOf,
  repeatUnits,
  severities,
} from './alert';
import { ConditionFields } from './ConditionFields';
import { useProblems } from './problems';
import { useSaveAlert } from './queries';
import { SpanField } from './SpanField';
import { SubscribersField } from './SubscribersField';

interface Props {
  farm: Farm;
  /** What is edited; nothing when adding. */
  alert: Alert | undefined;
  polyhouses: readonly Polyhouse[] | undefined;
  onDone: () => void;
}

export function AlertForm({ farm, alert, polyhouses, onDone }: Props) {
  const { t } = useTranslation();
  const save = useSaveAlert(farm.id);
  const [before] = useState(alert);
  // As it was when the form opened: what happens to the alert meanwhile must not overwrite what is being typed.
  const [draft, setDraft] = useState<Draft>(() => (alert ? draftOf(alert) : newDraft()));
  const [tries, setTries] = useState(0);
  const tried = tries > 0;
  const form = useRef<HTMLFormElement>(null);
  const channelsId = useId();
  const places = placesOf(farm, polyhouses ?? []);
  const mistakes = mistakesOf(draft);
  const problems = useProblems(save.error);
  const put = (change: Partial<Draft>) => {
    // What the server said was about what stood there before.
    save.reset();
    setDraft((before) => ({ ...before, ...change }));
  };

  // On a phone the form is longer than the screen: what is wrong must not stay out of sight.
  useEffect(() => {
    if (tries > 0 || save.error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [tries, save.error]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTries(tries + 1);
    if (hasMistakes(mistakes)) return;
    const known = alert?.scope && placeKey(alert.scope) === draft.place ? alert.scope : null;
    const scope = places.find((place) => placeKey(place) === draft.place) ?? known;
    save.mutate({ before, fields: fieldsOf(draft, scope) }, { onSuccess: onDone });
  };

  const toggleChannel = (channel: Channel) =>
    put({
      channels: draft.channels.includes(channel)
        ? draft.channels.filter((other) => other !== channel)
        : [...draft.channels, channel],
    });

  return (
    <form ref={form} className={formClasses['form']} onSubmit={submit} noValidate>
      {save.isError && (
        <Banner tone="bad" text={[saveFailure(t, save.error), ...problems.elsewhere].join(' ')} />
      )}
      {alert && <Banner tone="quiet" text={t('alerts.savingActivates')} />}
      <TextInput
        label={t('alerts.name')}
        name="name"
        required
        autoComplete="off"
        value={draft.name}
        onChange={(event) => put({ name: event.currentTarget.value })}
        error={(tried && mistakes.name && t('alerts.nameRequired')) || problems.at('name')}
      />
      <WhereField
        place={draft.place}
        onChange={(place) => put({ place })}
        places={places}
        polyhouses={polyhouses}
        error={problems.at('scope')}
      />
      <ConditionFields
        conditions={draft.conditions}
        joint={t(draft.match === 'any' ? 'alerts.or' : 'alerts.and')}
        onChange={(conditions) => put({ conditions })}
        wrong={tried ? mistakes.values : []}
        problemAt={problems.at}
      />
      <NativeSelect
        label={t('alerts.evidence.label')}
        description={t('alerts.evidence.hint')}
        value={draft.evidence}
        onChange={(event) => {
          const evidence = evidences.find((name) => name === event.currentTarget.value);
          if (evidence) put({ evidence });
        }}
        error={problems.at('evidence')}
        data={evidences.map((value) => ({ value, label: t(evidenceNames[value]) }))}
      />
      <NativeSelect
        label={t('alerts.severity.label')}
        value={draft.severity}
        onChange={(event) => {
          const severity = severities.find((name) => name === event.currentTarget.value);
          if (severity) put({ severity });
        }}
        error={problems.at('severity')}
        data={severities.map((value) => ({ value, label: t(severityNames[value]) }))}
      />
      <SpanField
        label={t('alerts.repeats')}
        description={t('alerts.repeatsHint')}
        span={draft.repeat}
        units={repeatUnits}
        min={MIN_REPEAT}
        onChange={(repeat) => put({ repeat })}
        error={
          (tried && mistakes.repeat && t('alerts.repeatsLeast')) ||
          problems.at('repeatsIn') ||
          problems.at('repeatUnit')
        }
      />
      <fieldset className={classes['group']} aria-describedby={channelsId}>
        <legend>{t('alerts.channels')}</legend>
        <div className={classes['ticks']}>
          {channels.map((channel) => (
            <Tick
              key={channel}
              checked={draft.channels.includes(channel)}
              onChange={() => toggleChannel(channel)}
            >
              {t(channelNames[channel])}
            </Tick>
          ))}
        </div>
        <p id={channelsId} className={classes['hint']}>
          {t('alerts.keptInApp')}
        </p>
      </fieldset>
      <SubscribersField
        farmId={farm.id}
        text={draft.subscribers}
        onChange={(subscribers) => put({ subscribers })}
        error={
          (tried && mistakes.subscribers === 'missing' && t('alerts.subscribersRequired')) ||
          (tried && mistakes.subscribers === 'invalid' && t('alerts.subscribersInvalid')) ||
          problems.at('subscribers')
        }
      />
      <More draft={draft} put={put} tried={tried} problems={problems} />
      <div className={classes['buttons']}>
        <Button variant="default" onClick={onDone}>
          {t('form.cancel')}
        </Button>
        <Button type="submit" loading={save.isPending}>
          {t('form.save')}
        </Button>
      </div>
    </form>
  );
}

interface WhereProps {
  place: string;
  onChange: (place: string) => void;
  places: ReturnType<typeof placesOf>;
  polyhouses: readonly Polyhouse[] | undefined;
  error: string | undefined;
}

/** The place that is watched: what stands nowhere else would be the whole farm without anybody having said so. */
function WhereField({ place, onChange, places, polyhouses, error }: WhereProps) {
  const { t } = useTranslation();
  const domain = useDomain();
  const keys = places.map(placeKey);
  return (
    <NativeSelect
      label={t('alerts.where')}
      value={place}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error}
      data={[
        { value: 'farm', label: domain.placeKind('farm') },
        ...places.map((known) => ({
          value: placeKey(known),
          label: domain.placePath(known, polyhouses),
        })),
        // A place that is gone, or not loaded yet, is still what the document says.
        ...(place === 'farm' || keys.includes(place) ? [] : [{ value: place, label: place }]),
      ]}
    />
  );
}

interface MoreProps {
  draft: Draft;
  put: (change: Partial<Draft>) => void;
  tried: boolean;
  problems: ReturnType<typeof useProblems>;
}

/** What most alerts leave as it is. */
function More({ draft, put, tried, problems }: MoreProps) {
  const { t } = useTranslation();
  const mistakes = mistakesOf(draft);
  const errors = {
    hold: (tried && mistakes.hold && t('alerts.spanLeast')) || problems.at('hold_sec'),
    clear: (tried && mistakes.clear && t('alerts.spanLeast')) || problems.at('clear_sec'),
    match: problems.at('match'),
  };
  const [open, setOpen] = useState(false);
  const wrong = Object.values(errors).some(Boolean);
  return (
    // Folded, a mistake inside could not be seen.
    <details
      className={classes['more']}
      open={open || wrong}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{t('alerts.more')}</summary>
      <div className={formClasses['form']}>
        <NativeSelect
          label={t('alerts.match')}
          value={draft.match}
          onChange={(event) => put({ match: event.currentTarget.value === 'any' ? 'any' : 'all' })}
          error={errors.match}
          data={[
            { value: 'all', label: t('alerts.matchAll') },
            { value: 'any', label: t('alerts.matchAny') },
          ]}
        />
        <SpanField
          label={t('alerts.hold')}
          description={t('alerts.holdHint')}
          span={draft.hold}
          units={durationUnits}
          min={0}
          onChange={(hold) => put({ hold })}
          error={errors.hold}
        />
        <SpanField
          label={t('alerts.clear')}
          description={t('alerts.clearHint')}
          span={draft.clear}
          units={durationUnits}
          min={0}
          onChange={(clear) => put({ clear })}
          error={errors.clear}
        />
      </div>
    </details>
  );
}

function saveFailure(t: TFunction, error: Error): string {
  // Somebody else deleted what is being edited: "not found" alone would not say so.
  if (error instanceof ApiError && error.status === 404) return t('alerts.gone');
  return failureText(t, error, t('alerts.saveFailed'));
}
