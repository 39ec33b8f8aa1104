// What to look at tomorrow, as lines.
import type { Line } from './Lines';
import type { Schemas } from './queries';
import type { Words } from './useWords';

type Ahead = Schemas['LetterAhead'];

const control = (id: string) => `/automation/manual?device=${encodeURIComponent(id)}`;

export function aheadLines(ahead: Ahead, { t, format, clock, amount }: Words): Line[] {
  const since = (at: number | null) =>
    at !== null && t('letter.ahead.since', { time: format.dayTime(new Date(at)) });
  return [
    ...ahead.alerts.map(({ id, name, since: at }) => ({
      id: `alert ${id}`,
      text: t('letter.ahead.alert', { name }),
      parts: [since(at)],
      to: '/notifications',
    })),
    ...ahead.away.map(({ id, name }) => ({
      id,
      text: t('letter.ahead.away', { name }),
      to: '/polyhouses',
    })),
    ...ahead.silent.map(({ id, name, since: at }) => ({
      id: `sensor ${id}`,
      text: t('letter.ahead.silent', { name }),
      parts: [since(at)],
      to: '/polyhouses',
    })),
    ...ahead.manual.map(({ id, name, until, by }) => ({
      id: `manual ${id}`,
      text: t('letter.ahead.manual', { name }),
      parts: [t('letter.ahead.until', { time: clock(until) }), by],
      to: control(id),
    })),
    ...ahead.locked.map(({ id, name }) => ({
      id: `locked ${id}`,
      text: t('letter.ahead.locked', { name }),
      to: control(id),
    })),
    ...ahead.tasks.map(({ id, title, dueDate, overdue }) => ({
      id: `task ${id}`,
      text: t('letter.ahead.task', { name: title }),
      parts: [t(overdue ? 'letter.ahead.overdue' : 'letter.ahead.due', { day: format.dayOfMonth(dueDate) })],
      to: '/tasks',
    })),
    ...ahead.stock.map(({ id, name, left, unit }) => ({
      id: `stock ${id}`,
      text: t('letter.ahead.stock', { name }),
      parts: [t('letter.ahead.left', { amount: amount(left, unit) })],
      to: '/inventory',
    })),
  ];
}
