// How far a command got: the steps behind it, the one it stands at, and those to come.
import type { ParseKeys } from 'i18next';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import Done from '~icon/CircleCheck';
import Ahead from '~icon/CircleDashed';
import Here from '~icon/CircleDot';
import Bad from '~icon/CircleX';
import { type ActionWord, actionSpecs, useDomain } from '../../i18n/domain';
import classes from './LogDetails.module.css';
import type { LogEntry } from './queries';

type LogCommand = LogEntry['details']['commands'][number];
type CommandState = LogCommand['state'];

const words: Record<CommandState, ParseKeys> = {
  queued: 'logs.states.queued',
  sent: 'logs.states.sent',
  acked: 'logs.states.acked',
  confirmed: 'logs.states.confirmed',
  failed: 'logs.states.failed',
  timed_out: 'logs.states.timed_out',
  superseded: 'logs.states.superseded',
};

/** The way of a command to which nothing happens. */
const way: readonly CommandState[] = ['queued', 'sent', 'acked', 'confirmed'];

type Mark = 'done' | 'here' | 'ahead' | 'bad';

const marks = { done: Done, here: Here, ahead: Ahead, bad: Bad } satisfies Record<Mark, typeof Done>;

/** The steps to show. Where a command did not get to its end, only the beginning and how it ended are known. */
export function stepsOf(state: CommandState): { state: CommandState; mark: Mark }[] {
  const at = way.indexOf(state);
  if (at === -1)
    return [
      { state: 'queued', mark: 'done' },
      { state, mark: 'bad' },
    ];
  return way.map((step, index) => ({
    state: step,
    mark: index < at || state === 'confirmed' ? 'done' : index === at ? 'here' : 'ahead',
  }));
}

export function CommandLife({ command }: { command: LogCommand }) {
  const { t } = useTranslation();
  const domain = useDomain();
  const title = useId();
  const { deviceName, action, value, state, message } = command;
  const what = isActionWord(action)
    ? `${domain.action(action)} ${domain.actionAmount(action, value)}`.trim()
    : action;
  return (
    <section aria-labelledby={title} className={classes['life']}>
      <h3 id={title}>{`${deviceName} · ${what}`}</h3>
      <ol>
        {stepsOf(state).map((step) => {
          const Glyph = marks[step.mark];
          return (
            <li
              key={step.state}
              data-mark={step.mark}
              aria-current={step.state === state ? 'step' : undefined}
            >
              <Glyph size={20} aria-hidden />
              <span>{t(words[step.state])}</span>
            </li>
          );
        })}
      </ol>
      {message && <p>{message}</p>}
    </section>
  );
}

function isActionWord(action: string): action is ActionWord {
  return Object.hasOwn(actionSpecs, action);
}
