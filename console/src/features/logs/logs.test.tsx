import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { keys } from '../../api/keys';
import { forgetSession } from '../../api/session';
import { type Answer, owner, serve, showConsole } from '../../test-console';
import { stepsOf } from './CommandLife';
import type { LogEntry } from './queries';
import { outcomeOf } from './words';

afterEach(() => {
  forgetSession();
  vi.restoreAllMocks();
});

const path = '/api/farms/demo-farm-1/logs';
const start = Date.parse('2026-11-21T06:30:00Z');

function entry(number: number, more: Partial<LogEntry> = {}): LogEntry {
  return {
    id: `e${number}`,
    timestamp: start - number * 1_000,
    type: 'rule_trigger',
    userId: null,
    userName: null,
    ruleId: 'rule-1',
    ruleName: 'Cool the house',
    deviceId: 'fan-1',
    deviceName: `Fan ${number}`,
    action: `Fan ${number} switched on`,
    details: { kind: 'rule_fired', commands: [] },
    result: 'success',
    errorMessage: null,
    scope: { type: 'zone', name: 'Zone A', path: 'Polyhouse 1 / Zone A' },
    ...more,
  };
}

/** A page as the server gives it, of a log with so many entries. */
function pageOf(page: number, matching: number, total = matching): Answer {
  const first = (page - 1) * 20;
  const count = Math.max(0, Math.min(20, matching - first));
  const items = Array.from({ length: count }, (_, at) => entry(first + at + 1));
  return { body: { total, matching, page, pageSize: 20, items } };
}

async function open(
  at = '/automation/logs',
  answer: Answer = pageOf(1, 3),
  answers: Record<string, Answer> = {},
) {
  const server = serve({ [`GET ${path}`]: answer, ...answers });
  const view = showConsole(at, owner);
  await screen.findByRole('heading', { level: 1, name: 'Automation Logs' });
  const asked = () => server.calls.filter(({ call }) => call === `GET ${path}`).map(({ query }) => query);
  const search = () => Object.fromEntries(new URLSearchParams(view.router.state.location.search));
  return { ...view, server, asked, search };
}

const filters = () => within(screen.getByRole('search', { name: 'Filters' }));

describe('/automation/logs', () => {
  it('says that the latest may be missing', async () => {
    const body = { total: 1, matching: 1, page: 1, pageSize: 20, items: [entry(1)] };
    const { server, cache } = await open(undefined, { body: { ...body, incomplete: true } });
    const missing = 'The latest may be missing: the server cannot write the history at present.';
    expect((await screen.findByRole('alert')).textContent).toContain(missing);
    expect(screen.getByRole('table')).toBeDefined();
    server.table[`GET ${path}`] = { body: { ...body, incomplete: false } };
    await cache.invalidateQueries({ queryKey: keys.logs('demo-farm-1') });
    await waitFor(() => expect(screen.queryByText(missing)).toBeNull());
  });

  it('shows a table of what happened', async () => {
    const failed = entry(1, {
      type: 'manual_command',
      userName: 'Asha Patil',
      ruleId: null,
      ruleName: null,
      result: 'failure',
      errorMessage: 'Device is offline',
    });
    await open(undefined, {
      body: { total: 40, matching: 2, page: 1, pageSize: 20, items: [failed, entry(2)] },
    });
    await screen.findByRole('table');
    expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
      'Timestamp',
      'Type',
      'Action',
      'Device/Rule',
      'User',
      'Result',
      'Scope',
    ]);
    const cells = screen
      .getAllByRole('row')
      .slice(1)
      .map((row) =>
        within(row)
          .getAllByRole('cell')
          .map(({ textContent }) => textContent),
      );
    expect(cells).toEqual([
      [
        '11:59:59 am 21 Nov 2026',
        'Manual command',
        'Fan 1 switched on',
        'Fan 1',
        'Asha Patil',
        'Failure',
        'Polyhouse 1 / Zone A',
      ],
      [
        '11:59:58 am 21 Nov 2026',
        'Rule activity',
        'Fan 2 switched on',
        'Fan 2Cool the house',
        'Automatic',
        'Info',
        'Polyhouse 1 / Zone A',
      ],
    ]);
    expect(screen.getAllByText('Showing 2 of 40 logs').length).toBeGreaterThan(0);
    expect(screen.getByText('Showing 1 to 2 of 2 results')).toBeDefined();
  });

  it('praises no bad news', () => {
    const of = (kind: string, commands = 0, result: LogEntry['result'] = 'success') =>
      outcomeOf({ result, details: { kind, commands: Array(commands).fill({}) } }).label;
    for (const kind of ['controller_offline', 'sensor_stale', 'locked', 'alert_raised', 'rule_blocked'])
      expect(of(kind), kind).toBe('logs.severity.warning');
    // A command was sent with the lock: still bad news.
    expect(of('locked', 1)).toBe('logs.severity.warning');
    for (const kind of ['controller_online', 'record', 'rule_stopped', 'alert_resolved'])
      expect(of(kind), kind).toBe('logs.severity.info');
    expect(of('rule_fired', 1)).toBe('logs.results.success');
    expect(of('override')).toBe('logs.results.success');
    expect(of('record', 0, 'failure')).toBe('logs.results.failure');
    expect(of('override', 1, 'pending')).toBe('logs.results.pending');
  });

  it('says that it is loading', async () => {
    const { server } = await open(undefined, 'never');
    await screen.findByText('Loading automation logs...');
    expect(screen.queryByRole('table')).toBeNull();
    expect(server.calls.map(({ call }) => call)).toContain(`GET ${path}`);
  });

  it.each([
    ['', 'Automation activity will appear here as it happens.'],
    ['?device=nothing', 'Try adjusting your filters to see more results.'],
  ])('is empty at %s', async (search, hint) => {
    await open(`/automation/logs${search}`, pageOf(1, 0));
    await screen.findByRole('heading', { name: 'No logs found' });
    expect(screen.getByText(hint)).toBeDefined();
    expect(screen.queryByRole('navigation', { name: 'Pages' })).toBeNull();
  });

  it('says what failed, and tries again', async () => {
    const { person, server } = await open(undefined, {
      status: 500,
      body: { error: 'The log is not readable', code: 'x' },
    });
    await screen.findByText('The log is not readable');
    server.table[`GET ${path}`] = pageOf(1, 3);
    await person.click(screen.getByRole('button', { name: 'Try again' }));
    await screen.findByRole('table');
    expect(screen.queryByText('The log is not readable')).toBeNull();
  });
});

describe('on a phone', () => {
  const phone = () => {
    const wide = window.matchMedia('');
    vi.spyOn(window, 'matchMedia').mockReturnValue({ ...wide, matches: false });
  };
  const midnight = Date.parse('2026-11-20T18:30:00Z');
  const items = [
    entry(1, { action: 'Rule "Cool the house" started: Fan 1 on' }),
    entry(2, {
      type: 'manual_command',
      action: 'Not carried out',
      userName: 'Asha Patil',
      result: 'failure',
      errorMessage: 'Device is offline',
    }),
    entry(3, {
      timestamp: midnight,
      type: 'other',
      action: 'Signed in',
      userName: 'Asha Patil',
      deviceId: null,
      deviceName: null,
      ruleId: null,
      ruleName: null,
      details: { kind: 'record', commands: [] },
      scope: null,
    }),
    entry(4, { timestamp: midnight - 1, action: 'Fan 4 off', details: { kind: 'locked', commands: [] } }),
  ];
  const body = { total: 4, matching: 4, page: 1, pageSize: 20, items };

  it('has a list a day, and of an entry no more than its sentence does not say', async () => {
    phone();
    await open(undefined, { body });
    const today = within(await screen.findByRole('list', { name: 'Saturday, 21 November 2026' }));
    const before = within(screen.getByRole('list', { name: 'Friday, 20 November 2026' }));
    expect(screen.queryByRole('table')).toBeNull();
    const said = (list: typeof today) =>
      list.getAllByRole('button').map(({ textContent }) => textContent?.replaceAll('\u00a0', ' '));
    expect(said(today)).toEqual([
      'Rule "Cool the house" started: Fan 1 on Info 11:59 am · Polyhouse 1 / Zone A Rule activity',
      'Not carried out Failure 11:59 am · Polyhouse 1 / Zone A · Fan 2 · Cool the house · Asha Patil Manual command',
      'Signed in Info 12:00 am · Asha Patil Other',
    ]);
    expect(said(before)).toEqual([
      'Fan 4 off Warning 11:59 pm · Polyhouse 1 / Zone A · Cool the house Rule activity',
    ]);
  });

  it('opens all of an entry, and goes back to it', async () => {
    phone();
    const { person } = await open(undefined, { body });
    await person.click(await screen.findByRole('button', { name: /^Not carried out/ }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Log entry' }));
    expect(dialog.getByText('21 Nov 2026, 11:59:58 am')).toBeDefined();
    await person.keyboard('{Escape}');
    await waitFor(() => expect(document.activeElement?.textContent).toMatch(/^Not carried out/));
  });
});

describe('the filters', () => {
  it('ask the server and stand in the URL', async () => {
    const { person, asked, search } = await open();
    await screen.findByRole('table');
    await person.selectOptions(filters().getByLabelText('Type'), 'manual_command');
    await waitFor(() => expect(asked().at(-1)).toMatchObject({ type: 'manual_command' }));
    await person.selectOptions(filters().getByLabelText('Result'), 'failure');
    await person.type(filters().getByLabelText('Device'), 'fan');
    await waitFor(() =>
      expect(search()).toEqual({ type: 'manual_command', result: 'failure', device: 'fan' }),
    );
    await person.type(filters().getByLabelText('User'), 'asha{Enter}');
    await waitFor(() =>
      expect(asked().at(-1)).toEqual({
        type: 'manual_command',
        result: 'failure',
        device: 'fan',
        user: 'asha',
        page: '1',
        pageSize: '20',
      }),
    );
  });

  it('ask once for a text, when the typing pauses', async () => {
    const { person, asked } = await open();
    await screen.findByRole('table');
    await person.type(filters().getByLabelText('Device'), 'exhaust fan');
    await waitFor(() => expect(asked().at(-1)?.['device']).toBe('exhaust fan'));
    expect(asked().filter(({ device }) => device !== undefined)).toHaveLength(1);
  });

  it('take the days of the farm', async () => {
    const { person, asked } = await open();
    await screen.findByRole('table');
    await person.type(filters().getByLabelText('Start Date'), '2026-11-20');
    await person.type(filters().getByLabelText('End Date'), '2026-11-21');
    await waitFor(() =>
      expect(asked().at(-1)).toMatchObject({
        from: String(Date.parse('2026-11-19T18:30:00Z')),
        to: String(Date.parse('2026-11-21T18:30:00Z') - 1),
      }),
    );
  });

  it('take two fields that change at once', async () => {
    const { search } = await open();
    await screen.findByRole('table');
    fireEvent.change(filters().getByLabelText('Start Date'), { target: { value: '2026-11-20' } });
    fireEvent.change(filters().getByLabelText('End Date'), { target: { value: '2026-11-21' } });
    fireEvent.change(filters().getByLabelText('Device'), { target: { value: 'fan' } });
    await waitFor(() => expect(search()).toEqual({ device: 'fan', start: '2026-11-20', end: '2026-11-21' }));
  });

  it('say when the days are the wrong way round', async () => {
    const { asked } = await open('/automation/logs?start=2026-11-21&end=2026-11-20', pageOf(1, 40));
    expect(await screen.findByText('The end date is before the start date.')).toBeDefined();
    await screen.findByRole('heading', { name: 'No logs found' });
    expect(asked()).toEqual([]);
  });

  it('are read from the URL', async () => {
    const { asked } = await open('/automation/logs?type=other&device=pump&start=2026-11-01');
    await screen.findByRole('table');
    expect(filters().getByLabelText<HTMLSelectElement>('Type').value).toBe('other');
    expect(filters().getByLabelText<HTMLInputElement>('Device').value).toBe('pump');
    expect(filters().getByLabelText<HTMLInputElement>('Start Date').value).toBe('2026-11-01');
    expect(asked()[0]).toMatchObject({ type: 'other', device: 'pump' });
  });

  it('go back with the back button', async () => {
    const { person, router, asked, search } = await open();
    await screen.findByRole('table');
    await person.selectOptions(filters().getByLabelText('Type'), 'other');
    await person.type(filters().getByLabelText('Device'), 'fan');
    await waitFor(() => expect(search()).toEqual({ type: 'other', device: 'fan' }));
    // Nobody goes back from what is not yet on screen.
    await waitFor(() => expect(asked().at(-1)).toMatchObject({ type: 'other', device: 'fan' }));
    await router.navigate(-1);
    await waitFor(() => expect(filters().getByLabelText<HTMLInputElement>('Device').value).toBe(''));
    expect(search()).toEqual({ type: 'other' });
    await router.navigate(-1);
    await waitFor(() => expect(filters().getByLabelText<HTMLSelectElement>('Type').value).toBe(''));
    await router.navigate(1);
    await waitFor(() => expect(filters().getByLabelText<HTMLSelectElement>('Type').value).toBe('other'));
  });

  it('are all cleared at once, with what was just being typed', async () => {
    const { person, asked, search } = await open('/automation/logs?type=other&user=asha');
    await screen.findByRole('table');
    await person.type(filters().getByLabelText('Device'), 'fa');
    await person.click(filters().getByRole('button', { name: 'Clear Filters' }));
    expect(search()).toEqual({});
    expect(filters().getByLabelText<HTMLInputElement>('Device').value).toBe('');
    expect(filters().getByLabelText<HTMLInputElement>('User').value).toBe('');
    await new Promise((wake) => setTimeout(wake, 600));
    expect(search()).toEqual({});
    expect(asked().some(({ device }) => device !== undefined)).toBe(false);
  });

  it('lead back to the first page', async () => {
    const { person, search } = await open(`/automation/logs?page=3&asOf=${start}`, pageOf(3, 200));
    await screen.findByRole('table');
    await person.selectOptions(filters().getByLabelText('Result'), 'pending');
    expect(search()).toEqual({ result: 'pending' });
  });
});

describe('the pages', () => {
  const numbers = () =>
    within(screen.getByRole('navigation', { name: 'Pages' }))
      .getAllByRole('listitem')
      .map(({ textContent }) => Number(textContent));

  it('are turned, and stay where they are when new entries come', async () => {
    const { person, server, asked, search } = await open(undefined, pageOf(1, 1_000));
    await screen.findByText('Showing 1 to 20 of 1,000 results');
    expect(numbers()).toEqual([1, 2, 3, 4, 5]);
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Previous' }).disabled).toBe(true);
    server.table[`GET ${path}`] = pageOf(2, 1_000);
    await person.click(screen.getByRole('button', { name: 'Next' }));
    await screen.findByText('Showing 21 to 40 of 1,000 results');
    // What came after the first page was read is not counted.
    expect(search()).toEqual({ page: '2', asOf: String(start - 1_000) });
    expect(asked()).toContainEqual({ page: '2', pageSize: '20', to: String(start - 1_000) });
    expect(asked()).toContainEqual({ page: '1', pageSize: '1', from: String(start - 999) });
    server.table[`GET ${path}`] = pageOf(5, 1_000);
    await person.click(screen.getByRole('button', { name: 'Page 5' }));
    await screen.findByText('Showing 81 to 100 of 1,000 results');
    expect(numbers()).toEqual([3, 4, 5, 6, 7]);
    expect(screen.getByRole('button', { name: 'Page 5' }).getAttribute('aria-current')).toBe('page');
    expect(search()).toEqual({ page: '5', asOf: String(start - 1_000) });
  });

  it('offer the newest entries to who reads older ones', async () => {
    const { person, search } = await open(`/automation/logs?page=2&asOf=${start}`, pageOf(2, 47));
    await screen.findByText('New entries: 47');
    await person.click(screen.getByRole('button', { name: 'Show the newest' }));
    expect(search()).toEqual({});
    await waitFor(() => expect(screen.queryByText(/New entries/)).toBeNull());
  });

  it('end where the log ends', async () => {
    const { server, search } = await open(`/automation/logs?page=9&asOf=${start}`, {
      body: { total: 45, matching: 45, page: 9, pageSize: 20, items: [] },
    });
    server.table[`GET ${path}`] = pageOf(3, 45);
    await screen.findByText('Showing 41 to 45 of 45 results');
    expect(search()['page']).toBe('3');
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Next' }).disabled).toBe(true);
  });

  it('show a new entry on the first page as it comes', async () => {
    const { server, cache } = await open(undefined, pageOf(1, 3));
    await screen.findByText('Fan 1 switched on');
    server.table[`GET ${path}`] = {
      body: {
        total: 4,
        matching: 4,
        page: 1,
        pageSize: 20,
        items: [entry(0, { action: 'Vent opened' }), entry(1), entry(2), entry(3)],
      },
    };
    // What api/live.ts does at a `log` message.
    await cache.invalidateQueries({ queryKey: keys.logs('demo-farm-1') });
    await screen.findByText('Vent opened');
    expect(screen.getByText('Showing 1 to 4 of 4 results')).toBeDefined();
  });
});

describe('the details', () => {
  const command = {
    commandId: 'c1',
    deviceId: 'fan-1',
    deviceName: 'Fan 1',
    action: 'set_speed',
    value: 60,
    state: 'sent' as const,
    message: null,
  };
  const pending = entry(1, {
    type: 'manual_command',
    userName: 'Asha Patil',
    result: 'pending',
    details: { kind: 'override', commands: [command], reason: 'too hot', durationSec: 1_800 },
  });
  const one = (item: LogEntry): Answer => ({
    body: { total: 1, matching: 1, page: 1, pageSize: 20, items: [item] },
  });
  const opened = async (item: LogEntry, answers: Record<string, Answer> = {}) => {
    const view = await open(undefined, one(item), answers);
    await view.person.click(await screen.findByRole('button', { name: 'Fan 1 switched on' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Log entry' }));
    const said = (name: string) => dialog.queryByText(name)?.nextElementSibling?.textContent;
    return { ...view, dialog, said };
  };

  it('explain the rule and the device as they were at that instant, when asked', async () => {
    const one = entry(1);
    const base = '/api/farms/demo-farm-1';
    const node = {
      depth: 0,
      leaf: true,
      text: 'temperature above 35 °C',
      truth: 'false',
      truth_text: 'false',
    };
    const change = { to: 'start', text: ['temperature: 1.2 °C more (above 35 °C)'], at: null, hold_ms: 0 };
    const { dialog, server, person } = await opened(one, {
      [`GET ${base}/rules/rule-1/explanation`]: {
        body: {
          text: 'The rule waits: its condition is not true',
          parts: [{ role: 'trigger', hold_text: null, nodes: [{ ...node, evidence: [] }] }],
          change,
          devices: [],
        },
      },
      [`GET ${base}/devices/fan-1/explanation`]: {
        body: {
          steps: [
            { kind: 'rest', decides: true, text: 'If no rule wants it: off', since: null, until: null },
          ],
          notes: [],
        },
      },
    });
    expect(server.calls.some(({ call }) => call.endsWith('/explanation'))).toBe(false);
    await person.click(dialog.getByText('Why at this moment?'));
    const said = await dialog.findByText('temperature above 35 °C');
    expect(said.previousElementSibling?.textContent).toBe('false');
    expect(dialog.getByText('temperature: 1.2 °C more (above 35 °C)')).toBeDefined();
    expect((await dialog.findByText('If no rule wants it: off')).nextElementSibling?.textContent).toBe(
      'decides',
    );
    const asked = server.calls.filter(({ call }) => call.endsWith('/explanation'));
    expect(asked.map(({ query }) => query)).toEqual(Array(2).fill({ at: String(one.timestamp) }));
  });

  it('tell all of an entry, and how far its command got', async () => {
    const { dialog, said, server, cache } = await opened(pending);
    expect(dialog.getByText('21 Nov 2026, 11:59:59 am')).toBeDefined();
    expect([said('Reason'), said('Duration'), said('User'), said('Scope')]).toEqual([
      'too hot',
      '30 min',
      'Asha Patil',
      'Polyhouse 1 / Zone A',
    ]);
    const steps = () =>
      dialog.getAllByRole('listitem').map((item) => `${item.textContent} ${item.getAttribute('data-mark')}`);
    expect(dialog.getByRole('heading', { name: 'Fan 1 · Set speed 60%' })).toBeDefined();
    expect(steps()).toEqual([
      'Queued done',
      'Sent here',
      'Received by the controller ahead',
      'Carried out ahead',
    ]);
    // The entry and its command go on while they are looked at.
    server.table[`GET ${path}`] = one({
      ...pending,
      result: 'success',
      details: { ...pending.details, commands: [{ ...command, state: 'confirmed' }] },
    });
    await cache.invalidateQueries({ queryKey: keys.logs('demo-farm-1') });
    await dialog.findByText('Success');
    expect(steps().at(-1)).toBe('Carried out done');
  });

  it('have words for how somebody signed in, and as what', async () => {
    const signedIn = { kind: 'record', commands: [], method: 'PASSWORD', role: 'FARM_MANAGER', times: 2 };
    const { said } = await opened(entry(1, { details: signedIn }));
    expect([said('How'), said('Role'), said('Times')]).toEqual(['Password', 'Farm Manager', '2']);
  });

  it('say a reason only where a person gave it', async () => {
    const { said } = await opened(
      entry(1, { details: { kind: 'rule_blocked', commands: [], reason: 'max_on' } }),
    );
    expect([said('Reason'), said('User')]).toEqual([undefined, 'Automatic']);
  });

  it('name the sensors that fell silent together', async () => {
    const { said } = await opened(
      entry(1, {
        type: 'other',
        scope: { type: 'farm' },
        details: {
          kind: 'sensor_stale',
          commands: [],
          count: 2,
          sensors: [
            { id: 's1', name: 'pH 1' },
            { id: 's2', name: '' },
          ],
        },
      }),
    );
    expect([said('Sensors'), said('Scope')]).toEqual(['pH 1 and s2', 'Whole farm']);
  });

  it('list what a record says', async () => {
    const { said } = await opened(
      entry(1, {
        type: 'other',
        details: {
          kind: 'record',
          commands: [],
          action: 'task_created',
          subject: 't1',
          name: 'Prune',
          dueDate: '2026-11-30',
          isUrgent: true,
          at: null,
          assigneeId: 'u-1',
          scope: { type: 'polyhouse', polyhouseId: 'p1', path: 'Demo farm / Polyhouse 1' },
        },
      }),
    );
    expect([said('Due date'), said('is urgent'), said('Place')]).toEqual([
      '2026-11-30',
      'Yes',
      'Demo farm / Polyhouse 1',
    ]);
    expect([said('subject'), said('at'), said('assignee id')]).toEqual([undefined, undefined, undefined]);
  });

  it('say what went wrong', async () => {
    const item = entry(1, { result: 'failure', errorMessage: 'Communication timeout - please try again' });
    const { person } = await open(undefined, one(item));
    await person.click(await screen.findByRole('button', { name: 'Fan 1 switched on' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Log entry' }));
    expect(dialog.getByRole('alert').textContent).toBe('Communication timeout - please try again');
    await person.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await waitFor(() => expect(document.activeElement?.textContent).toBe('Fan 1 switched on'));
  });

  it.each([
    ['queued', ['queued here', 'sent ahead', 'acked ahead', 'confirmed ahead']],
    ['confirmed', ['queued done', 'sent done', 'acked done', 'confirmed done']],
    ['timed_out', ['queued done', 'timed_out bad']],
    ['superseded', ['queued done', 'superseded bad']],
  ] as const)('know the steps of a command that is %s', (state, steps) => {
    expect(stepsOf(state).map((step) => `${step.state} ${step.mark}`)).toEqual(steps);
  });
});
