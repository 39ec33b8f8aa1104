// Who is told of the farm's alerts (/alerts/who-is-told): who is on duty now, the steps, and the roster of the week.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import type { FarmPageProps } from '../../api/farms';
import { failureText } from '../../i18n/failure';
import { ChangedMeanwhile } from '../../screen/ChangedMeanwhile';
import { QueryState } from '../../screen/QueryState';
import { useRecordForm } from '../../screen/useRecordForm';
import { Banner } from '../../ui/Banner';
import { PageLayout } from '../../ui/PageLayout';
import { Panel } from '../../ui/Panel';
import { Duties } from './Duties';
import { Steps } from './Steps';
import { type Draft, draftOf, type Escalation, escalationQuery, problemsOf } from './told';
import classes from './WhoIsTold.module.css';

export default function WhoIsTold({ farm, writes }: FarmPageProps) {
  const { t } = useTranslation();
  const escalation = useQuery(escalationQuery(farm.id));
  // What was saved is what the form begins with anew.
  const [saved, setSaved] = useState<string>();
  return (
    <PageLayout title={t('told.title')} about={t('told.about')} busy={escalation.isPending}>
      {!writes && <Banner tone="quiet" text={t('told.readOnly')} />}
      <QueryState query={escalation} failed={t('told.failed')}>
        {(known) => (
          <>
            <Now known={known} />
            <Form
              key={saved}
              farmId={farm.id}
              known={known}
              writes={writes}
              saved={saved !== undefined}
              onSaved={setSaved}
            />
          </>
        )}
      </QueryState>
    </PageLayout>
  );
}

/** Whom an alert would be told to at once, and who is reached by nothing. */
function Now({ known }: { known: Escalation }) {
  const { t } = useTranslation();
  const told = known.people.filter(({ id }) => known.toldNow.includes(id));
  const onDuty = told.some(({ onDuty }) => onDuty);
  const unreached = told.filter(({ reached }) => !reached);
  return (
    <Panel title={t(onDuty ? 'told.onDutyNow' : 'told.nobodyOnDuty')}>
      <ul className={classes['names']}>
        {told.map(({ id, name }) => (
          <li key={id}>{name}</li>
        ))}
      </ul>
      {unreached.map(({ id, name }) => (
        <Banner key={id} tone="warn" text={t('told.unreached', { name })} />
      ))}
    </Panel>
  );
}

interface FormProps {
  farmId: string;
  known: Escalation;
  writes: boolean;
  /** Whether it was saved just now. */
  saved: boolean;
  onSaved: (etag: string) => void;
}

function Form({ farmId, known, writes, saved, onSaved }: FormProps) {
  const { t } = useTranslation();
  const { form, element, send, sending, error, elsewhere, changed, goOn } = useRecordForm<
    Escalation,
    Draft,
    Escalation
  >({
    farmId,
    known,
    values: draftOf,
    check: (draft) =>
      Object.fromEntries(Object.entries(problemsOf(draft)).map(([at, text]) => [at, t(text)])),
    save: (body, _, headers) =>
      api.PUT('/api/farms/{farmId}/escalation', { params: { path: { farmId } }, headers, body }),
    onSaved: ({ etag }) => onSaved(etag),
  });
  const { steps, duties } = form.values;
  return (
    <form
      ref={element}
      className={classes['form']}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <fieldset className={classes['all']} disabled={!writes || sending !== undefined}>
        <Steps
          steps={steps}
          people={known.people}
          errors={form.errors}
          onChange={(next) => form.setFieldValue('steps', next)}
        />
        <Duties
          duties={duties}
          people={known.people}
          timezone={known.timezone}
          errors={form.errors}
          onChange={(next) => form.setFieldValue('duties', next)}
        />
      </fieldset>
      {changed && <ChangedMeanwhile changed={changed} goOn={goOn} />}
      {error && !changed && <Banner tone="bad" text={failureText(t, error, t('told.saveFailed'))} />}
      {elsewhere.map((text) => (
        <Banner key={text} tone="bad" text={text} />
      ))}
      {saved && !form.isDirty() && <Banner tone="good" text={t('told.saved')} />}
      {writes && (
        <Button type="submit" loading={sending !== undefined} disabled={changed !== undefined}>
          {t('form.save')}
        </Button>
      )}
    </form>
  );
}
