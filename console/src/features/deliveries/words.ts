// The words of what the server says of a message, and how each state feels.
import type { ParseKeys } from 'i18next';
import type { components } from '../../api/schema';
import type { Tone } from '../../ui/tone';

export type Message = components['schemas']['DeliveryMessage'];
export type Month = components['schemas']['DeliveryMonth'];
export type Way = components['schemas']['DeliveryChannelState'];

export const wayText: Record<Way['channel'], ParseKeys> = {
  EMAIL: 'deliveries.way.EMAIL',
  SMS: 'deliveries.way.SMS',
  WHATSAPP: 'deliveries.way.WHATSAPP',
  WEBHOOK: 'deliveries.way.WEBHOOK',
  PUSH: 'deliveries.way.PUSH',
};

/** Who gets it, where that is no contact. */
export const receiverText: Partial<Record<Way['channel'], ParseKeys>> = {
  WEBHOOK: 'deliveries.receiver',
  PUSH: 'deliveries.browser',
};

const kinds: Readonly<Record<string, ParseKeys>> = {
  CODE: 'deliveries.kind.CODE',
  INVITE: 'deliveries.kind.INVITE',
  NOTICE: 'deliveries.kind.NOTICE',
  ALERT: 'deliveries.kind.ALERT',
  TEST: 'deliveries.kind.TEST',
};

const states: Readonly<Record<string, [ParseKeys, Tone]>> = {
  QUEUED: ['deliveries.state.QUEUED', 'quiet'],
  SENT: ['deliveries.state.SENT', 'good'],
  DELIVERED: ['deliveries.state.DELIVERED', 'good'],
  READ: ['deliveries.state.READ', 'good'],
  FAILED: ['deliveries.state.FAILED', 'warn'],
};

const reasons: Readonly<Record<string, ParseKeys>> = {
  away: 'deliveries.reason.away',
  refused: 'deliveries.reason.refused',
  too_late: 'deliveries.reason.too_late',
  no_gateway: 'deliveries.reason.no_gateway',
  unverified: 'deliveries.reason.unverified',
  no_browser: 'deliveries.reason.no_browser',
  gone: 'deliveries.reason.gone',
  over: 'deliveries.reason.over',
  answered: 'deliveries.reason.answered',
  folded: 'deliveries.reason.folded',
  over_share: 'deliveries.reason.over_share',
  too_many: 'deliveries.reason.too_many',
  undelivered: 'deliveries.reason.undelivered',
  unreadable: 'deliveries.reason.unreadable',
};

/** What was given up because something else says it: nobody has to look. */
const HARMLESS = new Set(['over', 'answered', 'folded', 'over_share']);

export function kindText({ kind }: Message): ParseKeys {
  return kinds[kind] ?? 'deliveries.kind.NOTICE';
}

export function stateOf({ state, reason }: Message): { text: ParseKeys; tone: Tone } {
  const [text, tone] = states[state] ?? ['deliveries.state.QUEUED', 'quiet'];
  if (reason === 'away') return { text, tone: 'warn' };
  return { text, tone: HARMLESS.has(reason ?? '') ? 'quiet' : tone };
}

export function reasonText({ reason }: Message): ParseKeys | undefined {
  return reason === null ? undefined : reasons[reason];
}
