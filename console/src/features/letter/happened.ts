// What rules, alerts and people did, who was out of reach, and what was written down, as lines.
import { dayPath } from '../../screen/DayLink';
import type { Line } from './Lines';
import type { Letter } from './queries';
import type { Words } from './useWords';

const place = (polyhouseId: string | null) =>
  polyhouseId === null ? { type: 'farm' as const } : { type: 'polyhouse' as const, polyhouseId };

export function ruleLines({ rules, knownUntil }: Letter, { t, length, count, clock }: Words): Line[] {
  return rules.map(({ id, name, fired, blocked, longest, runs, firstAt, polyhouseId }) => ({
    id,
    text: name,
    parts: [
      fired > 0 && t('letter.rules.fired', count(fired)),
      blocked > 0 && t('letter.rules.blocked', count(blocked)),
      longest &&
        t('letter.rules.longest', { duration: length(Math.round((longest.until - longest.from) / 1_000)) }),
      runs && t('letter.rules.runs', { time: clock(knownUntil) }),
    ],
    to: dayPath(place(polyhouseId), longest?.from ?? firstAt),
  }));
}

export function alertLines({ alerts, knownUntil }: Letter, { t, length, count, clock }: Words): Line[] {
  return alerts.map(({ id, name, raised, raisedSec, still, firstAt, polyhouseId }) => ({
    id,
    text: name,
    parts: [
      raised > 0 ? t('letter.alerts.raised', count(raised)) : t('letter.alerts.before'),
      raisedSec > 0 && t('letter.alerts.for', { duration: length(raisedSec) }),
      still && t('letter.alerts.still', { time: clock(knownUntil) }),
    ],
    to: dayPath(place(polyhouseId), firstAt),
  }));
}

const deeds = ['commands', 'failed', 'stops', 'locks', 'tasks', 'changes'] as const;

export function peopleLines({ people }: Letter, { t, count }: Words): Line[] {
  return people.map((person) => ({
    id: person.name,
    text: person.name,
    parts: deeds.map((deed) => person[deed] > 0 && t(`letter.people.${deed}`, count(person[deed]))),
    to: `/automation/logs?user=${encodeURIComponent(person.name)}`,
  }));
}

export function outageLines(letter: Letter, { t, length, count, clock, span }: Words): Line[] {
  const { away, unheard, fellSilent, knownUntil } = letter;
  return [
    ...away.map(({ mac, name, times, awaySec, still, firstAt }) => ({
      id: mac,
      text: name,
      parts: [
        t('letter.outages.times', count(times)),
        t('letter.outages.for', { duration: length(awaySec) }),
        still && t('letter.outages.still', { time: clock(knownUntil) }),
      ],
      to: dayPath({ type: 'farm' }, firstAt),
    })),
    ...unheard.map((gap) => ({
      id: `${gap.from}`,
      text: t('letter.outages.unheard', span(gap)),
      to: dayPath({ type: 'farm' }, gap.from),
    })),
    ...(fellSilent > 0 ? [{ id: 'silent', text: t('letter.outages.silent', count(fellSilent)) }] : []),
  ];
}

export function writtenLines({ written }: Letter, { t, format, amount, count }: Words): Line[] {
  const { harvests, stock, sales, expenses } = written;
  return [
    ...harvests.map(({ crop, kg, wasteKg }, index) => ({
      id: `harvest ${index}`,
      text: t('letter.written.harvest', { crop, weight: amount(kg, 'KG') }),
      parts: [wasteKg > 0 && t('letter.written.waste', { weight: amount(wasteKg, 'KG') })],
      to: '/harvests',
    })),
    ...stock.flatMap(({ item, unit, came, went }) =>
      (
        [
          ['came', came],
          ['went', went],
        ] as const
      )
        .filter(([, moved]) => moved > 0)
        .map(([key, moved]) => ({
          id: `${key} ${item}`,
          text: t(`letter.written.${key}`, { item, amount: amount(moved, unit) }),
          to: '/inventory',
        })),
    ),
    ...(sales && sales.count > 0
      ? [
          {
            id: 'sales',
            text: t('letter.written.sales', { ...count(sales.count), money: format.paise(sales.paise) }),
            to: '/sales/orders',
          },
        ]
      : []),
    ...(expenses && expenses.count > 0
      ? [
          {
            id: 'expenses',
            text: t('letter.written.expenses', {
              ...count(expenses.count),
              money: format.paise(expenses.paise),
            }),
            to: '/sales/expenses',
          },
        ]
      : []),
  ];
}
