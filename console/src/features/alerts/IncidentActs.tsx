// What a person can do about an incident, at the foot of the page: say who looks after it, have it quiet for a while, call it
// false, make a task of it.
import { Button, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import Seen from '~icon/Check';
import Task from '~icon/Plus';
import Take from '~icon/UserCheck';
import { useMay } from '../../api/permissions';
import { useSession } from '../../api/session';
import { useDomain } from '../../i18n/domain';
import { failureText } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { Banner } from '../../ui/Banner';
import { Dialog } from '../../ui/Dialog';
import formClasses from '../../ui/form.module.css';
import classes from './Incident.module.css';
import { type Incident, MAX_NOTE, type NewAnswer, SNOOZES, useAnswer } from './incident';
import { useSpanText } from './words';

interface Props {
  farmId: string;
  /** The id in the address. */
  asked: string;
  incident: Incident;
}

export function IncidentActs({ farmId, asked, incident }: Props) {
  const { t } = useTranslation();
  const may = useMay();
  const session = useSession();
  const span = useSpanText();
  const { mutate, isPending, error } = useAnswer(farmId, asked);
  const [falseOpen, setFalseOpen] = useState(false);
  const { id, state, by, taken } = incident;
  const me = session.state === 'authenticated' ? session.user.id : undefined;
  const quiets = may('alerts:quiet');
  const say = (body: NewAnswer) => mutate({ id, body });
  const mine = taken?.id === me && state !== 'false_alarm';
  const takesBack = state !== 'open' && (quiets || by?.id === me);
  if (!may('alerts:answer')) return null;
  return (
    <section className={classes['acts']} aria-label={t('incident.acts')}>
      {error && <Banner tone="bad" text={failureText(t, error, t('incident.answerFailed'))} />}
      <div className={classes['first']}>
        {!mine && (
          <Button
            size="lg"
            leftSection={<Take size={22} aria-hidden />}
            disabled={isPending}
            onClick={() => say({ kind: 'on_it' })}
          >
            {t('incident.onIt')}
          </Button>
        )}
        {quiets && state !== 'acknowledged' && !mine && (
          <Button
            size="lg"
            variant="default"
            leftSection={<Seen size={22} aria-hidden />}
            disabled={isPending}
            onClick={() => say({ kind: 'acknowledge' })}
          >
            {t('incident.acknowledge')}
          </Button>
        )}
        {takesBack && (
          <Button size="lg" variant="default" disabled={isPending} onClick={() => say({ kind: 'reopen' })}>
            {t('incident.takeBack')}
          </Button>
        )}
      </div>
      {quiets && (
        // biome-ignore lint/a11y/useSemanticElements: buttons that belong together, not fields
        <div className={classes['snooze']} role="group" aria-label={t('incident.snooze')}>
          <span aria-hidden>{t('incident.snooze')}</span>
          {SNOOZES.map((minutes) => (
            <button
              key={minutes}
              type="button"
              disabled={isPending}
              onClick={() => say({ kind: 'snooze', minutes })}
            >
              {minutes < 60 ? span(minutes, 'minutes') : span(minutes / 60, 'hours')}
            </button>
          ))}
        </div>
      )}
      <div className={classes['last']}>
        {quiets && state !== 'false_alarm' && (
          <button type="button" disabled={isPending} onClick={() => setFalseOpen(true)}>
            {t('incident.falseAlarm')}
          </button>
        )}
        {may('tasks:write') && <TaskLink incident={incident} />}
      </div>
      <FalseAlarm
        opened={falseOpen}
        onClose={() => setFalseOpen(false)}
        onSay={(note) => {
          setFalseOpen(false);
          say({ kind: 'false_alarm', ...(note && { note }) });
        }}
      />
    </section>
  );
}

function FalseAlarm(props: { opened: boolean; onClose: () => void; onSay: (note: string) => void }) {
  const { t } = useTranslation();
  const [note, setNote] = useState('');
  return (
    <Dialog
      opened={props.opened}
      onClose={props.onClose}
      title={t('incident.falseAlarm')}
      closeLabel={t('form.close')}
    >
      <form
        className={formClasses['form']}
        onSubmit={(event) => {
          event.preventDefault();
          props.onSay(note.trim());
        }}
      >
        <p>{t('incident.falseHint')}</p>
        <Textarea
          label={t('incident.note')}
          rows={3}
          maxLength={MAX_NOTE}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        <Button type="submit" size="lg">
          {t('incident.falseAlarm')}
        </Button>
      </form>
    </Dialog>
  );
}

/** The form of a task that says what is wrong and where, and leads back here. */
function TaskLink({ incident }: { incident: Incident }) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const { place, name, raisedAt } = incident;
  const search = new URLSearchParams({
    new: '',
    title: t('incident.taskTitle', { name, place: words.placePath(place) }).slice(0, 120),
    description: t('incident.taskText', {
      time: format.dateTime(new Date(raisedAt)),
      link: `${window.location.origin}${window.location.pathname}`,
    }),
    ...(place.type === 'zone' && place.zoneId && { about: `ZONE:${place.zoneId}` }),
  });
  return (
    <Link to={`/tasks?${search}`}>
      <Task size={20} aria-hidden />
      {t('incident.makeTask')}
    </Link>
  );
}
