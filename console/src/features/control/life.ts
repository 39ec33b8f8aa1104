// How far a command got, in the words that people see: sending, accepted, done, or how it ended instead.
import type { components } from '../../api/schema';

export type CommandState = components['schemas']['CommandState'];
type ResultStatus = components['schemas']['CommandResultStatus'];

/** The stages that a command goes through when all goes well. */
export const stages = ['sending', 'accepted', 'done'] as const;
export type Stage = (typeof stages)[number];

/** Where a command stands among the stages, and how it ended if it did not go all the way. */
export interface Progress {
  /** The last stage that was reached. */
  reached: Stage;
  ended?: 'failed' | 'timedOut' | 'superseded';
}

const progress: Record<CommandState, Progress> = {
  queued: { reached: 'sending' },
  sent: { reached: 'sending' },
  acked: { reached: 'accepted' },
  confirmed: { reached: 'done' },
  failed: { reached: 'sending', ended: 'failed' },
  timed_out: { reached: 'sending', ended: 'timedOut' },
  superseded: { reached: 'sending', ended: 'superseded' },
};

export function progressOf(state: CommandState): Progress {
  return progress[state];
}

/** Whether there is more to come. A command that was given up may still be answered late. */
export function isOpen(state: CommandState | undefined): boolean {
  return state === undefined || state === 'queued' || state === 'sent' || state === 'acked';
}

/** What the banner says: the server's first answer, and what became of it since. */
export type Verdict = 'successful' | 'failed' | 'pending';

const byResult: Record<ResultStatus, Verdict> = { ack: 'successful', failure: 'failed', pending: 'pending' };
const byState: Record<CommandState, Verdict> = {
  queued: 'pending',
  sent: 'pending',
  acked: 'successful',
  confirmed: 'successful',
  failed: 'failed',
  timed_out: 'failed',
  superseded: 'pending',
};

export function verdictOf(status: ResultStatus, state: CommandState | undefined): Verdict {
  return state === undefined ? byResult[status] : byState[state];
}
