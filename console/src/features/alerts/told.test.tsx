import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { forgetSession } from '../../api/session';
import { type Answer, farmAs, owner, serve, showConsole } from '../../test-console';
import { type Escalation, problemsOf, toggled, whoValue, withWho } from './told';
// Loaded with the test: else the first one waits for the page.
import './WhoIsTold';

afterEach(forgetSession);

const path = '/api/farms/demo-farm-1/escalation';
const chain: Escalation = {
  steps: [
    { who: { kind: 'on_duty' }, afterMin: 0, severities: ['critical', 'warning'] },
    { who: { kind: 'role', role: 'OWNER' }, afterMin: 20, severities: ['critical'] },
  ],
  duties: [],
  isDefault: true,
  people: [
    { id: 'u1', name: 'Asha', role: 'OWNER', reached: true, onDuty: false },
    { id: 'u2', name: 'Ravi', role: 'FARM_MANAGER', reached: false, onDuty: false },
  ],
  toldNow: ['u2'],
  timezone: 'Asia/Kolkata',
  etag: 'e1',
};

async function page(answers: Record<string, Answer> = {}) {
  const server = serve({ [`GET ${path}`]: { body: chain }, ...answers });
  const view = showConsole('/alerts/who-is-told', owner);
  await screen.findByRole('heading', { level: 2, name: 'Steps' });
  const sent = () => server.calls.findLast((made) => made.call === `PUT ${path}`)?.body;
  return { ...view, server, sent };
}

describe('who is told', () => {
  it('says whom it means now, and whom nothing reaches', async () => {
    await page();
    const now = within(screen.getByRole('region', { name: 'Nobody is on duty now. Told instead:' }));
    now.getByText('Ravi');
    now.getByText(/^No message reaches Ravi/);
  });

  it('saves another step and a duty past midnight', async () => {
    const { person, sent } = await page({ [`PUT ${path}`]: { body: { ...chain, etag: 'e2' } } });
    await person.click(screen.getByRole('button', { name: 'Remove step 2' }));
    await person.click(screen.getByRole('button', { name: 'Add a step' }));
    const step = within(screen.getByRole('region', { name: 'Steps' })).getAllByRole('listitem')[1];
    if (!step) throw new Error('no step');
    await person.selectOptions(within(step).getByLabelText('Who'), 'people');
    await person.click(screen.getByRole('button', { name: 'Save' }));
    within(step).getByText('Choose who is told.');
    expect(sent()).toBeUndefined();
    await person.click(within(step).getByRole('checkbox', { name: 'Asha' }));
    await person.click(screen.getByRole('button', { name: 'Add duty' }));
    const roster = within(screen.getByRole('region', { name: 'Roster' }));
    await person.selectOptions(roster.getByLabelText('Person'), 'u2');
    await person.click(roster.getAllByRole('button', { pressed: true })[6] as HTMLElement);
    roster.getByText('On the next day');
    await person.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() =>
      expect(sent()).toEqual({
        steps: [
          chain.steps[0],
          { who: { kind: 'people', people: ['u1'] }, afterMin: 10, severities: ['critical'] },
        ],
        duties: [{ userId: 'u2', days: [1, 2, 3, 4, 5, 6], from: '18:00', to: '06:00' }],
      }),
    );
    await screen.findByText('Saved.');
  });

  it('is read by a viewer', async () => {
    await page({ 'GET /api/farms': { body: [farmAs('VIEWER')] } });
    expect(screen.queryByRole('button', { name: 'Save' })).toBeNull();
    screen.getByText('Owners, admins and farm managers can change this.');
  });
});

describe('what the form holds', () => {
  it('turns a choice into people and back', () => {
    const [first] = chain.steps;
    if (!first) throw new Error('no step');
    for (const value of ['on_duty', 'role:ADMIN', 'people'])
      expect(whoValue(withWho(first, value))).toBe(value);
    expect(toggled([3], 1, [1, 2, 3])).toEqual([1, 3]);
    expect(toggled([1, 3], 3, [1, 2, 3])).toEqual([1]);
  });

  it('misses whom, which and when', () => {
    const steps = [
      { who: { kind: 'people' as const, people: [] }, afterMin: 0, severities: ['info' as const] },
    ];
    const duties = [{ userId: 'u1', days: [], from: '18:00', to: '06:00' }];
    expect(problemsOf({ steps, duties })).toEqual({ 'steps.0': 'told.somebody', 'duties.0': 'told.someDay' });
  });
});
