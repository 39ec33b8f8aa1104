// What a person can do about an incident: at the foot of the page say who looks after it, or have it quiet for a while; below
// what is wrong call it false, make a task of it, take an answer back.
import { Button, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import Task from '~icon/Plus';
import Take from '~icon/UserCheck';
import { useMay } from '../../api/permissions';
import { useSession } from '../../api/session';
import { useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { Link } from '../../screen/Link';
import { Dialog } from '../../ui/Dialog';
import formClasses from '../../ui/form.module.css';
import classes from './Incident.module.css';
import { type Incident, MAX_NOTE, type NewAnswer, SNOOZES } from './incident';

interface Props {
  incident: Incident;
  /** An answer is on its way. */
  busy: boolean;
  onSay: (answer: NewAnswer) => void;
}

function useMine({ taken, state, by }: Incident) {
  const session = useSession();
  const me = session.state === 'authenticated' ? session.user.id : undefined;
  return {
    /** Whether the person is on it. */
    taken: taken?.id === me && state !== 'false_alarm',
    /** Whether the answer that counts is theirs. */
    answer: by?.id === me,
  };
}

/** What is done at once, within the thumb's reach. */
export function IncidentActs({ incident, busy, onSay }: Props) {
  const { t } = useTranslation();
  const may = useMay();
  const words = useDomain();
  const mine = useMine(incident);
  const quiets = may('alerts:quiet');
  if (mine.taken && !quiets) return null;
  return (
    <section className={classes['acts']} aria-label={t('incident.acts')}>
      {!mine.taken && (
        <div className={classes['first']}>
          <Button
            leftSection={<Take size={22} aria-hidden />}
            disabled={busy}
            onClick={() => onSay({ kind: 'on_it' })}
          >
            {t('incident.onIt')}
          </Button>
          {quiets && incident.state !== 'acknowledged' && (
            <Button variant="default" disabled={busy} onClick={() => onSay({ kind: 'acknowledge' })}>
              {t('incident.acknowledge')}
            </Button>
          )}
        </div>
      )}
      {quiets && (
        // biome-ignore lint/a11y/useSemanticElements: buttons that belong together, not fields
        <div className={classes['snooze']} role="group" aria-label={t('incident.snooze')}>
          <span aria-hidden>{t('incident.snooze')}</span>
          {SNOOZES.map((minutes) => (
            <button
              key={minutes}
              type="button"
              className={classes['choice']}
              disabled={busy}
              onClick={() => onSay({ kind: 'snooze', minutes })}
            >
              {words.duration(minutes * 60)}
            </button>
          ))}
        </div>
      )}
    </section>
  );
}

/** What needs a thought. */
export function OtherActs({ incident, busy, onSay }: Props) {
  const { t } = useTranslation();
  const may = useMay();
  const mine = useMine(incident);
  const [falseOpen, setFalseOpen] = useState(false);
  const quiets = may('alerts:quiet');
  const { state } = incident;
  return (
    <div className={classes['other']}>
      {state !== 'open' && (quiets || mine.answer) && (
        <button
          type="button"
          className={classes['choice']}
          disabled={busy}
          onClick={() => onSay({ kind: 'reopen' })}
        >
          {t('incident.takeBack')}
        </button>
      )}
      {quiets && state !== 'false_alarm' && (
        <button
          type="button"
          className={classes['choice']}
          disabled={busy}
          onClick={() => setFalseOpen(true)}
        >
          {t('incident.falseAlarm')}
        </button>
      )}
      {may('tasks:write') && <TaskLink incident={incident} />}
      <FalseAlarm
        opened={falseOpen}
        onClose={() => setFalseOpen(false)}
        onSay={(note) => {
          setFalseOpen(false);
          onSay({ kind: 'false_alarm', ...(note && { note }) });
        }}
      />
    </div>
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
    <Link className={classes['choice'] ?? ''} to={`/tasks?${search}`}>
      <Task size={20} aria-hidden />
      {t('incident.makeTask')}
    </Link>
  );
}
