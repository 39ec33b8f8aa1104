// What became of the command: the server's answer in a banner, and the stages that the command really goes through.

import { Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import Done from '~icon/CircleCheck';
import Todo from '~icon/CircleDashed';
import Ended from '~icon/CircleX';
import { ApiError } from '../../api/errors';
import { useDomain } from '../../i18n/domain';
import { failedLoad, failureText } from '../../i18n/failure';
import type { Device } from '../../screen/device';
import { Banner } from '../../ui/Banner';
import type { Tone } from '../../ui/tone';
import classes from './Control.module.css';
import { type Progress, progressOf, type Stage, stages, type Verdict, verdictOf } from './life';
import { type Command, type CommandResult, commandQuery } from './queries';

interface Props {
  farmId: string;
  device: Device;
  /** Whether the device was given back to the rules. */
  released: boolean;
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

export function Outcome({ farmId, device, released, sending, result, error }: Props) {
  const { t } = useTranslation();
  const words = useDomain();
  const id = result?.command_id;
  const query = useQuery({ ...commandQuery(farmId, id ?? ''), enabled: Boolean(id) });
  if (sending) return <Life progress={{ reached: 'sending' }} />;
  if (error) return <Banner tone="bad" text={said('failed', unsent(t, error))} />;
  if (!result) return null;
  const life = id ? query.data : undefined;
  const verdict = verdictOf(result.status, life?.state);
  // What the rules want went out first: the release is done all the same, unless a person has the device again.
  const overtaken = released && life?.state === 'superseded' && device.state.mode !== 'manual';
  return (
    <>
      <Banner
        tone={overtaken ? 'good' : looks[verdict].tone}
        text={released ? back() : said(verdict, messageOf(life))}
      />
      {life && !overtaken && <Life progress={progressOf(life.state)} />}
      {query.isError && <Banner {...failedLoad(t, query, t('control.lifeFailed'))} />}
    </>
  );

  /** A release that worked ends in what the rules want. */
  function back(): string {
    if (verdict === 'failed') return said(verdict, messageOf(life));
    if (verdict === 'pending' && !overtaken) return t('manual.givingBack');
    const { action, value } = device.desired;
    const off = action === 'off' || value === 0;
    const amount = off ? '' : words.actionAmount(action, value);
    return t('manual.givenBack', { what: amount || t(off ? 'control.off' : 'control.on') });
  }

  function said(outcome: Verdict, message: string | null | undefined): string {
    // Accepted is not done: the device has yet to say so.
    const done = outcome !== 'successful' || !id || query.data?.state === 'confirmed';
    const title = t(done ? looks[outcome].title : 'manual.accepted');
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
