// How far a command got: the steps behind it, the one it stands at, and those to come.
import { useQuery } from '@tanstack/react-query';
import type { ParseKeys } from 'i18next';
import { useTranslation } from 'react-i18next';
import Done from '~icon/CircleCheck';
import Ahead from '~icon/CircleDashed';
import Here from '~icon/CircleDot';
import Bad from '~icon/CircleX';
import { failureText } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { Banner } from '../../ui/Banner';
import classes from './LogDetails.module.css';
import { type Command, commandQuery } from './queries';

type CommandState = Command['state'];

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

/** The steps to show. Where a command failed, only the beginning and the end are known. */
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

export function CommandLife({ farmId, commandId }: { farmId: string; commandId: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const command = useQuery(commandQuery(farmId, commandId));
  if (command.isError) {
    return (
      <Banner
        tone="warn"
        text={failureText(t, command.error, t('logs.commandFailed'))}
        action={{ label: t('app.retry'), run: () => void command.refetch(), busy: command.isFetching }}
      />
    );
  }
  if (!command.data) return <p role="status">{t('app.loading')}</p>;
  const { state, changed_at, attempts, message } = command.data;
  return (
    <section aria-labelledby="command-life" className={classes['life']}>
      <h3 id="command-life">{t('logs.command')}</h3>
      <ol>
        {stepsOf(state).map((step) => {
          const Glyph = marks[step.mark];
          const now = step.state === state;
          return (
            <li key={step.state} data-mark={step.mark} aria-current={now ? 'step' : undefined}>
              <Glyph size={20} aria-hidden />
              <span>{t(words[step.state])}</span>
              {now && (
                <time dateTime={new Date(changed_at).toISOString()}>{format.time(new Date(changed_at))}</time>
              )}
            </li>
          );
        })}
      </ol>
      {attempts > 1 && <p>{t('logs.attempts', { attempts: format.count(attempts) })}</p>}
      {message && <p>{message}</p>}
    </section>
  );
}
