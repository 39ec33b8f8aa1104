// What became of the command: the server's answer in a banner, and the stages that the command really goes through.

import { Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import Done from '~icon/CircleCheck';
import Todo from '~icon/CircleDashed';
import Ended from '~icon/CircleX';
import { ApiError } from '../../api/errors';
import { failedLoad, failureText } from '../../i18n/failure';
import { Banner } from '../../ui/Banner';
import type { Tone } from '../../ui/tone';
import classes from './Control.module.css';
import { type Progress, progressOf, type Stage, stages, type Verdict, verdictOf } from './life';
import { type Command, type CommandResult, commandQuery } from './queries';

interface Props {
  farmId: string;
  /** The sending: under way, answered, or failed. */
  sending: boolean;
  result: CommandResult | undefined;
  error: unknown;
}

const looks = {
  successful: { tone: 'good', title: 'control.successful' },
  failed: { tone: 'bad', title: 'control.unsuccessful' },
  pending: { tone: 'warn', title: 'control.pending' },
} as const satisfies Record<Verdict, { tone: Tone; title: string }>;

export function Outcome({ farmId, sending, result, error }: Props) {
  const { t } = useTranslation();
  const id = result?.command_id;
  const query = useQuery({ ...commandQuery(farmId, id ?? ''), enabled: Boolean(id) });
  if (sending) return <Life progress={{ reached: 'sending' }} />;
  if (error) return <Banner tone="bad" text={said('failed', unsent(t, error))} />;
  if (!result) return null;
  const life = id ? query.data : undefined;
  const verdict = verdictOf(result.status, life?.state);
  return (
    <>
      <Banner tone={looks[verdict].tone} text={said(verdict, messageOf(life))} />
      {life && <Life progress={progressOf(life.state)} />}
      {query.isError && <Banner {...failedLoad(t, query, t('control.lifeFailed'))} />}
    </>
  );

  function said(outcome: Verdict, message: string | null | undefined): string {
    const title = t(looks[outcome].title);
    return message ? t('control.withMessage', { result: title, message }) : title;
  }

  /** The server's words about its own answer; after that, what the controller said. */
  function messageOf(known: Command | undefined): string | null | undefined {
    if (!known || verdictOf(result?.status ?? 'pending', undefined) === verdictOf('pending', known.state))
      return result?.message;
    const { ended } = progressOf(known.state);
    return ended === 'failed'
      ? (known.message ?? t('control.endedHint.failed'))
      : ended && t(`control.endedHint.${ended}`);
  }
}

/** Why it could not be sent. Without an answer nobody knows whether it arrived. */
function unsent(t: TFunction, error: unknown): string {
  const text = failureText(t, error, t('control.sendFailed'));
  return error instanceof ApiError && error.kind === 'network'
    ? t('control.maybeArrived', { failure: t('control.sendFailed') })
    : text;
}

function Life({ progress }: { progress: Progress }) {
  const { t } = useTranslation();
  const { reached, ended } = progress;
  const at = stages.indexOf(reached);
  const last = reached === 'done';
  const labelOf = (stage: Stage, state: string) => {
    if (state === 'ended' && ended) return t(`control.ended.${ended}`);
    return t(stage === 'sending' && state === 'done' ? 'control.stage.sent' : `control.stage.${stage}`);
  };
  return (
    <div className={classes['life']} data-stage={ended ?? reached}>
      <ol aria-label={t('control.life')}>
        {stages.map((stage, index) => {
          const state = index < at || last ? 'done' : index > at ? 'todo' : ended ? 'ended' : 'now';
          return (
            <li key={stage} data-state={state} aria-current={state === 'now' ? 'step' : undefined}>
              {state === 'done' && <Done size={22} aria-hidden />}
              {state === 'todo' && <Todo size={22} aria-hidden />}
              {state === 'ended' && <Ended size={22} aria-hidden />}
              {state === 'now' && <Loader size={20} color="currentcolor" aria-hidden />}
              {labelOf(stage, state)}
            </li>
          );
        })}
      </ol>
      <p role="status">{ended ? t(`control.endedHint.${ended}`) : t(`control.stageHint.${reached}`)}</p>
    </div>
  );
}
