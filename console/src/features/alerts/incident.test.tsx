import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { forgetSession } from '../../api/session';
import { type Answer, farmAs, owner, serve, showConsole } from '../../test-console';
// Loaded with the test: else the first one waits for the page and all that it draws.
import './Incident';
import { curveWindow, type Incident, quantitiesOf } from './incident';

afterEach(() => {
  forgetSession();
  vi.restoreAllMocks();
});

const raisedAt = Date.parse('2026-11-21T10:37:00Z');
const id = `${raisedAt}-hot`;
const path = `/api/farms/demo-farm-1/incidents/${id}`;
const place = { type: 'polyhouse', polyhouseId: 'p1', name: 'Polyhouse 1' } as const;
const ravi = { id: 'u2', name: 'Ravi' };

const hot: Incident = {
  id,
  state: 'open',
  by: null,
  until: null,
  taken: null,
  alertId: 'hot',
  name: 'Too hot',
  severity: 'critical',
  place,
  any: false,
  holdSec: 0,
  raisedAt,
  overAt: null,
  ended: null,
  unknownSince: null,
  conditions: [
    {
      sensorType: 'temperature',
      operator: 'gt',
      limit: 35,
      now: {
        place,
        evidence: 'worst',
        value: 37.2,
        holds: true,
        sensors: [
          { id: 't1', name: 'North', counts: 'fresh', value: 37.2, readAt: raisedAt, remembered: true },
          { id: 't2', name: 'South', counts: 'stale', value: null, readAt: raisedAt, remembered: false },
          { id: 't3', name: 'Door', counts: 'unknown', value: null, readAt: null, remembered: false },
        ],
      },
    },
  ],
  answers: [],
  told: [],
  next: null,
  remedy: { kind: 'switch_on', device: { id: 'fan-1', name: 'Fan 1' } },
};

const log = [
  {
    id: '7',
    timestamp: raisedAt + 60_000,
    type: 'rule_trigger',
    userId: null,
    userName: null,
    ruleId: 'r',
    ruleName: 'Cool',
    deviceId: 'fan-1',
    deviceName: 'Fan 1',
    action: 'Rule "Cool" turned on Fan 1',
    details: { kind: 'rule_fired', commands: [] },
    result: 'success',
    errorMessage: null,
    scope: place,
  },
];
const past = { from: raisedAt - 1, to: raisedAt + 1, stepSec: 60, incomplete: false, quantities: [] };

async function page(incident: Partial<Incident> = {}, answers: Record<string, Answer> = {}) {
  const server = serve({
    [`GET ${path}`]: { body: { ...hot, ...incident } },
    [`GET ${path}/log`]: { body: log },
    'GET /api/farms/demo-farm-1/history': { body: past },
    ...answers,
  });
  const view = showConsole(`/alerts/${id}`, owner);
  await screen.findByRole('heading', { level: 1, name: 'Too hot' });
  const acts = () => within(screen.getByRole('main'));
  const sent = () => server.calls.findLast((made) => made.call === `POST ${path}/answers`)?.body;
  return { ...view, server, acts, sent };
}

describe('an incident', () => {
  it('says what is wrong, on which sensors, and what happened, each at its minute', async () => {
    const { path: at, person } = await page();
    screen.getByText('Polyhouse 1: Temperature 37.2 °C (alert above 35 °C)');
    screen.getByText(/^Since .*, for /);
    screen.getByText('Nobody has answered yet');
    screen.getByText('The alert was raised on this reading');
    screen.getByText('Left out: never reported');
    screen.getByText(/^Left out: last reading /);
    const entry = await screen.findByRole('link', { name: /Rule "Cool" turned on Fan 1/ });
    expect(entry.getAttribute('href')).toBe(`/day?rule=r&at=${raisedAt + 60_000}`);
    const helps = screen.getByRole('link', { name: 'Switch on Fan 1 for 30 min' });
    expect(helps.getAttribute('href')).toBe('/automation/manual?device=fan-1&minutes=30');
    const task = new URL(
      screen.getByRole('link', { name: 'Make a task' }).getAttribute('href') ?? '',
      'http://x',
    );
    expect(task.searchParams.get('title')).toBe('Alert: Too hot (Polyhouse 1)');
    expect(task.searchParams.get('description')).toContain(window.location.origin);
    await person.click(screen.getByRole('link', { name: 'All alerts' }));
    await waitFor(() => expect(at()).toBe('/alerts'));
  });

  it('is answered with a tap', async () => {
    const { acts, sent, person, server } = await page();
    server.table[`POST ${path}/answers`] = {
      body: {
        ...hot,
        state: 'taken',
        by: { id: owner.id, name: owner.name },
        taken: { id: owner.id, name: owner.name },
        answers: [
          {
            id: 'a',
            kind: 'on_it',
            by: { id: owner.id, name: owner.name },
            at: raisedAt,
            until: null,
            note: null,
            way: null,
          },
        ],
      } satisfies Incident,
    };
    server.table[`GET ${path}`] = server.table[`POST ${path}/answers`] as Answer;
    await person.click(acts().getByRole('button', { name: 'I am on it' }));
    await screen.findByText('Asha Patil is on it');
    expect(sent()).toEqual({ kind: 'on_it' });
    expect(acts().queryByRole('button', { name: 'I am on it' })).toBeNull();
    await person.click(acts().getByRole('button', { name: 'Take back' }));
    expect(sent()).toEqual({ kind: 'reopen' });
  });

  it('is snoozed, and called false with a note', async () => {
    const { acts, sent, person } = await page({}, { [`POST ${path}/answers`]: { body: hot } });
    await person.click(acts().getByRole('button', { name: '3 h' }));
    expect(sent()).toEqual({ kind: 'snooze', minutes: 180 });
    await waitFor(() =>
      expect(acts().getByRole<HTMLButtonElement>('button', { name: 'False alarm' }).disabled).toBe(false),
    );
    await person.click(acts().getByRole('button', { name: 'False alarm' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'False alarm' }));
    await person.type(dialog.getByLabelText('Note (optional)'), ' in the sun ');
    await person.click(dialog.getByRole('button', { name: 'False alarm' }));
    await waitFor(() => expect(sent()).toEqual({ kind: 'false_alarm', note: 'in the sun' }));
  });

  it('says why an answer was refused', async () => {
    const refused = { status: 409, body: { error: 'This alert is over already', code: 'incident_over' } };
    const { acts, person } = await page({}, { [`POST ${path}/answers`]: refused });
    await person.click(acts().getByRole('button', { name: 'Acknowledge' }));
    await screen.findByText('This alert is over already');
  });

  it('lets a viewer say that he is on it, and nothing else', async () => {
    const { acts } = await page({}, { 'GET /api/farms': { body: [farmAs('VIEWER')] } });
    const names = within(screen.getByRole('region', { name: 'Answer' }))
      .getAllByRole('button')
      .map(({ textContent }) => textContent);
    expect(names).toEqual(['I am on it']);
    expect(acts().queryByRole('button', { name: 'False alarm' })).toBeNull();
    expect(screen.queryByRole('link', { name: /Switch on/ })).toBeNull();
    expect(screen.queryByRole('link', { name: 'Make a task' })).toBeNull();
  });

  it('has nothing to answer once it is over, and says how it ended', async () => {
    await page({ state: 'over', overAt: raisedAt + 3_600_000, ended: 'disabled', remedy: null });
    screen.getByText('The alert was switched off while it was raised.');
    screen.getByText(/: 1 h$/);
    expect(screen.queryByRole('region', { name: 'Answer' })).toBeNull();
  });

  it('says who was told, by what and whether it came, and who is next', async () => {
    const message = {
      id: 'm1',
      step: 0,
      userId: 'u2',
      name: 'Ravi',
      channel: 'SMS',
      state: 'DELIVERED',
      reason: null,
      createdAt: raisedAt,
      nextTryAt: null,
      sentAt: raisedAt,
    };
    await page({
      told: [
        message,
        {
          ...message,
          id: 'm2',
          step: null,
          name: 'Sunita',
          channel: 'EMAIL',
          state: 'FAILED',
          reason: 'unverified',
        },
      ],
      next: {
        step: 1,
        at: raisedAt + 600_000,
        who: { kind: 'role', role: 'OWNER' },
        people: ['Asha', 'Vijay'],
      },
      answers: [
        { id: 'a', kind: 'acknowledge', by: ravi, at: raisedAt, until: null, note: null, way: 'SMS' },
      ],
    });
    const told = within(screen.getByRole('region', { name: 'Who was told' }));
    const rows = told.getAllByRole('listitem').map(({ textContent }) => textContent);
    expect(rows[0]).toMatch(/^Sunita.*Email: contact not verified/);
    expect(rows[1]).toMatch(/^Ravi.*SMS: delivered.*Step 1/);
    told.getByText(/^Next at .*: Asha, Vijay$/);
    screen.getByText('answered from the message');
  });

  it('leads to the act that the verdict says', async () => {
    const reason = {
      verdict: 'by_hand',
      act: 'start_rule',
      polyhouseId: 'p1',
      since: null,
      what: { kind: 'rule_off', rule: { id: 'r', name: 'Cool' }, draft: false },
    } as const;
    await page({ remedy: { kind: 'act', reason } });
    const helps = within(screen.getByRole('region', { name: 'What helps' }));
    expect(helps.getByRole('link').getAttribute('href')).toBe('/automation/rules');
  });

  it('is told not to be here where it is not', async () => {
    serve();
    showConsole('/alerts/none', owner);
    await screen.findByText(/^This alert is not here/);
    screen.getByRole('link', { name: 'All alerts' });
  });

  it('shows who snoozed it until when, and who is on it all the same', async () => {
    await page({ state: 'snoozed', by: { id: 'u1', name: 'Asha' }, until: raisedAt, taken: ravi });
    screen.getByText(/^Snoozed until .* by Asha$/);
    screen.getByText('Ravi is on it');
  });
});

describe('its curve', () => {
  it('is of some hours around the raise, and not of what is to come', () => {
    const hour = 3_600_000;
    const minute = 60_000;
    const at = 100 * hour;
    expect(curveWindow(at, null, at + minute)).toEqual({ from: at - 2 * hour, to: at + minute });
    expect(curveWindow(at, null, at + 50 * hour)).toEqual({ from: at - 2 * hour, to: at + 4 * hour });
    const over = at + 9 * hour;
    expect(curveWindow(at, over, at + 50 * hour).to).toBe(over + hour);
  });

  it('is one a quantity', () => {
    const [condition] = hot.conditions;
    if (!condition) throw new Error('no condition');
    expect(quantitiesOf({ ...hot, conditions: [condition, { ...condition, limit: 40 }] })).toEqual([
      'temperature',
    ]);
  });
});
