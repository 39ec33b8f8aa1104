import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { keys } from '../../api/keys';
import { forgetSession } from '../../api/session';
import { type Answer, farm, farmAs, owner, serve, showConsole } from '../../test-console';
import type { Hazard, Rule, Sight } from './queries';
import { doser, draft, fan, houses, running } from './samples';

// A form is typed letter by letter, on a busy machine slowly.
vi.setConfig({ testTimeout: 40_000 });

afterEach(() => {
  forgetSession();
  vi.restoreAllMocks();
});

const path = '/api/farms/demo-farm-1/rules';
const check = 'POST /api/farms/demo-farm-1/check-rule';
const sight = (change: Partial<Sight> = {}): Sight => ({
  place: { type: 'polyhouse', polyhouseId: 'p1' },
  own: true,
  sensors: 1,
  fresh: 1,
  value: 36.2,
  readAt: Date.now(),
  holds: true,
  ...change,
});
const sees = (change: Partial<Sight>) => ({ rule: 'rule-1', trigger: sight(), stop: sight(change) });
const checked = (...hazards: Hazard[]) => ({ body: { trigger: sight(), stop: null, hazards } });

async function page(answers: Record<string, Answer> = {}, where = '/automation/rules') {
  const { table, calls } = serve({
    [`GET ${path}`]: { body: [running, draft] },
    'GET /api/farms/demo-farm-1/devices': {
      body: [{ ...fan, claims: [{ rule: 'rule-1', at: 0, priority: 6, setting: { action: 'on' } }] }, doser],
    },
    'GET /api/farms/demo-farm-1/polyhouses': { body: houses },
    'GET /api/farms/demo-farm-1/conditions': { body: [sees({ holds: false })] },
    [check]: checked(),
    ...answers,
  });
  const shown = showConsole(where, owner);
  return { table, calls, sent: (call: string) => calls.find((made) => made.call === call), ...shown };
}

const card = async (name: string) => {
  const heading = await screen.findByRole('heading', { level: 2, name });
  return within(heading.closest('article') as HTMLElement);
};

describe('the list', () => {
  it('tells a rule in one sentence and in the words of the specification', async () => {
    await page();
    const cool = await card('Cool East');
    await waitFor(() =>
      cool.getByText(
        'When the temperature in East stays above 35 °C for 5 min, turn on Fan 1 and run Fan 1 at 80% after 30 s; stop when it stays below 30.5 °C for 1 min 30 s.',
      ),
    );
    for (const text of [
      'Active',
      'Deployed',
      'Priority 6',
      'Both fans',
      'East',
      'When Temperature is > 35 °C for 300 s',
      'Fan 1 → On',
      'After 30s: Fan 1 → Set speed 80%',
      'Stop when Temperature is < 30.5 °C for 90s',
      'Created 5 Jan 2026 by Sunita Jadhav',
    ])
      cool.getByText(text);
    expect(cool.getByText(/^Running since/).textContent?.replaceAll('\u202f', ' ')).toBe(
      'Running since 12:00:00 pm',
    );
    await waitFor(() => cool.getByText('Now 36.2 °C'));
    expect(cool.getAllByText('This rule has control')).toHaveLength(2);

    const dry = await card('Dry East');
    for (const text of [
      'Draft',
      'Does nothing until it is deployed',
      'When Humidity is between 80% and 95% for 60 s',
      'Stops when the condition has been false for 1 min',
    ])
      dry.getByText(text);
  });

  it('says on a phone what matters, and folds the rest until it is asked for', async () => {
    const wide = window.matchMedia;
    window.matchMedia = (query) => ({ ...wide(query), matches: query.includes('max-width') });
    try {
      const { person, table, sent, unmount } = await page({
        [`PATCH ${path}/rule-1`]: { body: { ...running, mode: 'disabled' } },
      });
      const cool = await card('Cool East');
      cool.getByText(/^When the temperature in East stays above 35 °C for 5 min/);
      cool.getByText(/^Running since/);
      const folded = cool.getByText('Details').closest('details') as HTMLDetailsElement;
      expect(folded.open).toBe(false);
      for (const text of ['Priority 6', 'Deployed', 'Both fans', 'Fan 1 → On', /^Created 5 Jan 2026/])
        expect(folded.contains(cool.getByText(text))).toBe(true);
      // What waits for a person is not folded.
      const dry = await card('Dry East');
      expect(dry.getByRole('button', { name: 'Deploy Dry East' }).closest('details')).toBeNull();

      const power = cool.getByRole<HTMLInputElement>('switch', { name: 'Cool East: active' });
      expect(power.checked).toBe(true);
      table[`GET ${path}`] = { body: [{ ...running, mode: 'disabled', status: { phase: 'idle' } }, draft] };
      await person.click(power);
      expect(sent(`PATCH ${path}/rule-1`)?.body).toEqual({ mode: 'disabled' });
      await waitFor(() => expect(power.checked).toBe(false));

      await person.click(cool.getByText('Details'));
      await waitFor(() => expect(folded.open).toBe(true));
      unmount();
      await page();
      const again = await card('Cool East');
      expect((again.getByText('Details').closest('details') as HTMLDetailsElement).open).toBe(true);
      const other = await card('Dry East');
      expect((other.getByText('Details').closest('details') as HTMLDetailsElement).open).toBe(false);
    } finally {
      window.matchMedia = wide;
    }
  });

  it('follows the engine without a reload', async () => {
    const { cache } = await page();
    const cool = await card('Cool East');
    const now = Date.now();
    const stands = (status: Rule['status']) =>
      cache.setQueryData<Rule[]>(keys.rules(farm.id), [{ ...running, status }, draft]);
    stands({ phase: 'pending', hold_since: now - 100_000, length: 300_000, samples: 1, samples_needed: 2 });
    await cool.findByText(/^Condition met for 1:4\d of 5:00$/);
    cool.getByText('1 more reading needed');
    expect(cool.getByRole('progressbar').getAttribute('aria-valuemax')).toBe('300');
    stands({
      phase: 'running',
      since: now,
      ending: { hold_since: now - 30_000, length: 90_000, samples: 1, samples_needed: 2 },
    });
    await cool.findByText(/^Stops soon: 0:3\d of 1:30$/);
    stands({ phase: 'idle' });
    await cool.findByText('Watching');
  });

  it('says why a held rule would not start', async () => {
    const both = {
      ...running,
      status: { phase: 'pending', hold_since: Date.now(), length: 300_000, samples: 0, samples_needed: 2 },
    };
    await page({
      [`GET ${path}`]: { body: [both] },
      'GET /api/farms/demo-farm-1/conditions': { body: [sees({ holds: true })] },
    });
    await (await card('Cool East')).findByText('Blocked: the stop condition is met too');
  });

  it('does not look calm while it cannot see', async () => {
    await page({
      'GET /api/farms/demo-farm-1/conditions': { body: [sees({ value: null, fresh: 0, readAt: null })] },
    });
    const cool = await card('Cool East');
    await waitFor(() => expect(document.querySelector('[data-blind]')).not.toBeNull());
    cool.getByText(/^Running since/);
  });

  it('is searched once it is longer than a screen', async () => {
    const many = Array.from({ length: 7 }, (_, index) => ({
      ...running,
      id: `r${index}`,
      name: `Cool no${index}`,
    }));
    const { person } = await page({ [`GET ${path}`]: { body: [...many, draft] } });
    const search = await screen.findByRole('searchbox', { name: 'Search rules' });
    const shown = () => screen.getAllByRole('heading', { level: 2 }).map((heading) => heading.textContent);
    await person.type(search, 'NO3 cool');
    await waitFor(() => expect(shown()).toEqual(['Cool no3']));
    expect(screen.getByText('1 of 8 rules')).toBeDefined();
    await person.type(search, 'x');
    await person.click(await screen.findByRole('button', { name: 'Show all rules' }));
    await waitFor(() => expect(shown()).toHaveLength(8));
  });

  it('is empty until there is a first rule', async () => {
    const { person } = await page({ [`GET ${path}`]: { body: [] } });
    await screen.findByRole('heading', { name: 'No automation rules' });
    expect(screen.queryByRole('button', { name: 'Create New Rule' })).toBeNull();
    await person.click(screen.getByRole('button', { name: 'Create Your First Rule' }));
    await screen.findByRole('heading', { level: 1, name: 'Create New Rule' });
  });

  it('enables, disables and deploys, and asks before it deletes', async () => {
    const confirm = vi.spyOn(window, 'confirm').mockReturnValue(false);
    const { person, table, sent, calls } = await page({
      [`PATCH ${path}/rule-1`]: { body: { ...running, mode: 'disabled' } },
      [`PATCH ${path}/rule-2`]: { body: { ...draft, deployed: true } },
      [`DELETE ${path}/rule-1`]: { status: 204 },
    });
    await card('Cool East');
    await person.click(screen.getByRole('button', { name: 'Deploy Dry East' }));
    expect(sent(`PATCH ${path}/rule-2`)?.body).toEqual({ deployed: true });
    await screen.findByRole('button', { name: 'Disable Cool East' });
    table[`GET ${path}`] = { body: [{ ...running, mode: 'disabled', status: { phase: 'idle' } }, draft] };
    await person.click(screen.getByRole('button', { name: 'Disable Cool East' }));
    expect(sent(`PATCH ${path}/rule-1`)?.body).toEqual({ mode: 'disabled' });
    await screen.findByRole('button', { name: 'Enable Cool East' });
    within(screen.getByRole('heading', { name: 'Cool East' }).closest('article') as HTMLElement).getByText(
      'Disabled',
    );
    await person.click(screen.getByRole('button', { name: 'Delete Cool East' }));
    expect(confirm).toHaveBeenCalledWith('Are you sure you want to delete this rule?');
    expect(calls.some(({ call }) => call.startsWith('DELETE'))).toBe(false);
    confirm.mockReturnValue(true);
    table[`GET ${path}`] = { body: [draft] };
    await person.click(screen.getByRole('button', { name: 'Delete Cool East' }));
    await waitFor(() => expect(screen.queryByRole('heading', { name: 'Cool East' })).toBeNull());
  });

  it('says what failed and offers it again', async () => {
    const { person, table, calls } = await page({ [`PATCH ${path}/rule-1`]: 'down' });
    await card('Cool East');
    await person.click(screen.getByRole('button', { name: 'Disable Cool East' }));
    expect((await screen.findByRole('alert')).textContent).toContain(
      'The rule could not be disabled. Network error. Please try again.',
    );
    table[`PATCH ${path}/rule-1`] = { body: running };
    await person.click(screen.getByRole('button', { name: 'Try again' }));
    await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
    expect(calls.filter(({ call }) => call === `PATCH ${path}/rule-1`)).toHaveLength(2);
  });

  it('says that it could not be loaded', async () => {
    const { person, table } = await page({
      [`GET ${path}`]: { status: 503, body: { error: 'Busy', code: 'x' } },
    });
    expect((await screen.findByRole('alert')).textContent).toContain('The rules could not be loaded. Busy');
    table[`GET ${path}`] = { body: [running] };
    await person.click(screen.getByRole('button', { name: 'Try again' }));
    await card('Cool East');
  });

  it('lets a viewer look', async () => {
    await page({ 'GET /api/farms': { body: [farmAs('VIEWER')] } }, '/automation/rules?new');
    const cool = await card('Cool East');
    expect(cool.queryAllByRole('button')).toEqual([]);
    screen.getByText('You are a Viewer: you can see the rules, but not change them.');
    expect(screen.queryByRole('button', { name: /Create|Edit|Delete|Deploy|Enable|Disable/ })).toBeNull();
  });
});

describe('the editor', () => {
  const field = (label: string, part?: string) => {
    const where = part ? within(screen.getByRole('region', { name: part })) : screen;
    return where.getByLabelText<HTMLInputElement>(new RegExp(`^${label}`));
  };
  const preview = () => document.querySelector('[data-preview]')?.textContent;

  it('makes a rule, with its sentence beside it', async () => {
    const { person, sent, table, calls } = await page({ [`POST ${path}`]: { status: 201, body: running } });
    await card('Cool East');
    await person.click(screen.getByRole('button', { name: 'Create New Rule' }));
    const title = await screen.findByRole('heading', { level: 1, name: 'Create New Rule' });
    expect(document.activeElement).toBe(title);
    await person.type(field('Name'), 'Hot');
    await person.type(field('Value', 'When'), '36');
    await person.selectOptions(field('Device', 'Then'), 'doser');
    await person.selectOptions(field('What to do', 'Then'), 'set_flow_rate');
    await person.type(field('Value', 'Then'), '2.5');
    await person.clear(field('Delay(?!:)', 'Then'));
    await person.type(field('Delay(?!:)', 'Then'), '5');
    expect(preview()).toBe(
      'When the temperature in East stays above 36 °C for 5 min, set Doser to 2.5 ml/s after 5 s.',
    );
    await within(screen.getByRole('region', { name: 'When' })).findByText('Now 36.2 °C');
    const drafts = () => calls.filter(({ call }) => call === check).map(({ body }) => body);
    await waitFor(() =>
      expect(drafts().at(-1)).toMatchObject({
        trigger: { sensor_type: 'temperature', operator: 'gt', value: 36, duration_sec: 300 },
        actions: [{ device_id: 'doser', command: { action: 'set_flow_rate' } }],
      }),
    );
    const doserRuns = { id: 'doser', name: 'Doser' };
    table[check] = checked(
      { kind: 'pump', device: doserRuns, clear_sec: 60 },
      { kind: 'outranked', device: doserRuns, rule: { id: 'rule-2', name: 'Dry East' } },
    );
    await screen.findByText(
      'Doser has no stop condition: it keeps running until the trigger has been false for 1 min.',
    );
    screen.getByText(/^“Dry East” also drives Doser and has the higher priority/);
    table[check] = checked();
    await person.click(screen.getByRole('checkbox', { name: 'With a stop condition' }));
    await person.type(field('Value', 'Stop'), '33');
    await waitFor(() => expect(screen.queryByText(/has no stop condition/)).toBeNull());
    await person.click(screen.getByRole('button', { name: 'Save and deploy' }));
    await screen.findByRole('heading', { level: 1, name: 'Automation Rules' });
    expect(sent(`POST ${path}`)?.body).toMatchObject({
      name: 'Hot',
      deployed: true,
      priority: 5,
      trigger: { sensor_type: 'temperature', operator: 'gt', value: 36, duration_sec: 300 },
      actions: [{ device_id: 'doser', command: { action: 'set_flow_rate', value: 2.5 }, delay_sec: 5 }],
      stop_condition: { sensor_type: 'temperature', operator: 'lt', value: 33, duration_sec: 300 },
    });
    screen.getByText('“Cool East” is saved and deployed.');
  });

  it('lets unit and range follow the sensor, and the value the action', async () => {
    const { person, table } = await page({}, '/automation/rules?new');
    await screen.findByRole('heading', { name: 'Create New Rule' });
    await screen.findByText('-10 to 50 °C');
    expect([field('Value', 'When').min, field('Value', 'When').max, field('Value', 'When').step]).toEqual([
      '-10',
      '50',
      '0.1',
    ]);
    await person.selectOptions(field('Sensor type', 'When'), 'co2_level');
    within(screen.getByRole('region', { name: 'When' })).getByText('Value (ppm)');
    screen.getByText('0 to 2,000 ppm');
    await person.selectOptions(field('Condition', 'When'), 'between');
    expect([field('From', 'When').max, field('To', 'When').max]).toEqual(['2000', '2000']);
    await person.selectOptions(field('Device', 'Then'), 'fan-1');
    expect(field('Value', 'Then').disabled).toBe(true);
    await person.selectOptions(field('What to do', 'Then'), 'set_speed');
    expect([field('Value', 'Then').disabled, field('Value', 'Then').max]).toEqual([false, '100']);
    const place = { type: 'polyhouse', polyhouseId: 'p1' } as const;
    table[check] = checked({ kind: 'no_sensor', sensor_type: 'co2_level', place });
    await screen.findByText(
      'No sensor measures the CO₂ in East or elsewhere on the farm: this rule cannot be saved.',
    );
    // A stop condition knows no "between".
    await person.click(screen.getByRole('checkbox', { name: 'With a stop condition' }));
    expect(within(field('Condition', 'Stop')).queryByRole('option', { name: /between/ })).toBeNull();
  });

  it('shows what is missing at its field, leads to the first, and sends nothing', async () => {
    const { person, calls } = await page({}, '/automation/rules?new');
    await screen.findByRole('heading', { name: 'Create New Rule' });
    await person.click(screen.getByRole('button', { name: 'Save as draft' }));
    const summary = await screen.findByRole('alert');
    expect(
      within(summary)
        .getAllByRole('button')
        .map((item) => item.textContent),
    ).toEqual([
      'Name: Give the rule a name',
      'When, Value: This is required',
      'Action 1, Device: This is required',
    ]);
    expect(document.activeElement).toBe(field('Name'));
    await person.click(within(summary).getByRole('button', { name: /^When/ }));
    expect(document.activeElement).toBe(field('Value', 'When'));
    await person.keyboard('60');
    screen.getByText('It must be from -10 to 50');
    expect(document.activeElement).toBe(field('Value', 'When'));
    expect(calls.some(({ call }) => call === `POST ${path}`)).toBe(false);
  });

  it('shows what the server refuses at its field, until that is changed', async () => {
    const problems = [
      { path: 'trigger.sensor_type', code: 'no_sensor', message: 'none' },
      { path: 'actions[0].device_id', code: 'unknown', message: 'there is no device' },
      { path: 'description', code: 'very_odd', message: 'This is odd' },
    ];
    const { person, sent } = await page(
      { [`PUT ${path}/rule-2`]: { status: 422, body: { error: 'Wrong', code: 'invalid', problems } } },
      '/automation/rules?edit=rule-2',
    );
    await screen.findByRole('heading', { level: 1, name: 'Edit Rule' });
    await person.click(screen.getByRole('button', { name: 'Save as draft' }));
    await screen.findByText('There is no such sensor here or nearby');
    expect(sent(`PUT ${path}/rule-2`)?.body).toMatchObject({ deployed: false, name: 'Dry East' });
    screen.getByText('This no longer exists');
    screen.getByText('This is odd');
    expect(document.activeElement).toBe(field('Description'));
    await person.selectOptions(field('Sensor type', 'When'), 'soil_moisture');
    expect(screen.queryByText('There is no such sensor here or nearby')).toBeNull();
    screen.getByText('This is odd');
    await person.selectOptions(field('Device', 'Then'), 'doser');
    await person.type(field('Description'), 'x');
    // All has been changed: nothing is known to be wrong.
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('keeps what was typed when saving fails, and saves again', async () => {
    const { person, table } = await page({ [`PUT ${path}/rule-1`]: 'down' }, '/automation/rules?edit=rule-1');
    await screen.findByRole('heading', { level: 1, name: 'Edit Rule' });
    screen.getByText(/^This rule is running now\. Saving a change stops it/);
    await person.clear(field('Name'));
    await person.type(field('Name'), 'Cooler{Enter}');
    await screen.findByText('The rule could not be saved. Network error. Please try again.');
    expect(field('Name').value).toBe('Cooler');
    table[`PUT ${path}/rule-1`] = { body: { ...running, name: 'Cooler' } };
    table[`GET ${path}`] = { body: [{ ...running, name: 'Cooler' }] };
    await person.click(screen.getByRole('button', { name: 'Try again' }));
    await card('Cooler');
    screen.getByText('“Cooler” is saved and deployed.');
    expect(document.querySelector('[data-saved]')?.textContent).toContain('Cooler');
  });

  it('tells of a change by somebody else while the form is open, and lets one choose', async () => {
    const { person, cache, calls, sent } = await page(
      { [`PUT ${path}/rule-1`]: { body: running } },
      '/automation/rules?edit=rule-1',
    );
    await screen.findByRole('heading', { level: 1, name: 'Edit Rule' });
    // That it stands elsewhere by now is no change.
    const now = (rule: Rule) => cache.setQueryData<Rule[]>(keys.rules(farm.id), [rule, draft]);
    now({ ...running, status: { phase: 'idle' } });
    expect(screen.queryByText(/^This was changed while you had it open/)).toBeNull();

    const trigger = { ...running.trigger, value: 37 };
    const theirs: Rule = { ...running, name: 'Theirs', trigger, etag: 'v2' };
    await person.clear(field('Name'));
    await person.type(field('Name'), 'Mine');
    now(theirs);
    await screen.findByText(/^This was changed.+It now says: When the temperature in East stays above 37 °C/);
    expect((screen.getByRole('button', { name: 'Save changes' }) as HTMLButtonElement).disabled).toBe(true);
    await person.type(field('Name'), '{Enter}');
    expect(calls.some(({ call }) => call.startsWith('PUT'))).toBe(false);

    await person.click(screen.getByRole('button', { name: 'Show the other version' }));
    expect(field('Name').value).toBe('Theirs');
    expect(field('Value', 'When').value).toBe('37');
    expect(screen.queryByText(/^This was changed while you had it open/)).toBeNull();

    await person.clear(field('Name'));
    await person.type(field('Name'), 'Mine');
    now({ ...theirs, priority: 9, etag: 'v3' });
    await person.click(await screen.findByRole('button', { name: 'Keep what I typed' }));
    await person.click(screen.getByRole('button', { name: 'Save changes' }));
    await screen.findByRole('heading', { level: 1, name: 'Automation Rules' });
    // What was typed stays, on top of the other's priority.
    const { body, headers } = sent(`PUT ${path}/rule-1`) ?? {};
    expect(body).toMatchObject({ name: 'Mine', priority: 9 });
    expect(headers?.['if-match']).toBe('"v3"');
  });

  it('saves only over what the person saw, in case no message told of a change', async () => {
    const current: Rule = { ...running, mode: 'disabled', etag: 'v2' };
    const refused = { error: 'Changed', code: 'changed_meanwhile', changedBy: 'Ravi', changedAt: 0, current };
    const { person, sent } = await page(
      { [`PUT ${path}/rule-1`]: { status: 412, body: refused } },
      '/automation/rules?edit=rule-1',
    );
    await screen.findByRole('heading', { level: 1, name: 'Edit Rule' });
    await person.click(screen.getByRole('button', { name: 'Save changes' }));
    await screen.findByText(/^Ravi changed this at/);
    expect(document.activeElement?.textContent).toMatch(/^Ravi changed this at/);
    expect(sent(`PUT ${path}/rule-1`)?.headers['if-match']).toBe('"v1"');
    await person.click(screen.getByRole('button', { name: 'Show the other version' }));
    expect(field('Mode').value).toBe('disabled');
  });

  it('adds and removes actions, and goes back without saving', async () => {
    const { person, calls, path: where } = await page({}, '/automation/rules?edit=rule-1');
    await screen.findByRole('group', { name: 'Action 2' });
    await person.click(screen.getByRole('button', { name: 'Add action' }));
    screen.getByRole('group', { name: 'Action 3' });
    await person.click(screen.getByRole('button', { name: 'Remove action 1' }));
    expect(preview()).toContain('run Fan 1 at 80% after 30 s and turn on …');
    await person.click(screen.getByRole('button', { name: 'Cancel' }));
    await card('Cool East');
    expect(where()).toBe('/automation/rules');
    expect(calls.some(({ call }) => /^(PUT|POST) .*rules/.test(call))).toBe(false);
    expect(document.activeElement?.textContent).toBe('Automation Rules');
  });

  it('says why there is nothing to choose from', async () => {
    const devices = 'GET /api/farms/demo-farm-1/devices';
    const { person, table } = await page(
      { [devices]: { status: 503, body: { error: 'Busy', code: 'x' } } },
      '/automation/rules?new',
    );
    await screen.findByText('Devices and places of the farm could not be loaded. Busy');
    table[devices] = { body: [fan] };
    await person.click(screen.getByRole('button', { name: 'Try again' }));
    await screen.findByRole('option', { name: 'Fan 1' });
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('takes a deployed rule back to draft', async () => {
    const { person, sent } = await page(
      { [`PUT ${path}/rule-1`]: { body: { ...running, deployed: false } } },
      '/automation/rules?edit=rule-1',
    );
    await screen.findByRole('heading', { level: 1, name: 'Edit Rule' });
    await person.click(screen.getByRole('button', { name: 'Return to draft' }));
    await screen.findByText(/is saved as a draft\. It does nothing until it is deployed\.$/);
    expect(sent(`PUT ${path}/rule-1`)?.body).toMatchObject({ deployed: false });
  });

  it('says that the rule to edit is gone', async () => {
    await page({}, '/automation/rules?edit=rule-9');
    await screen.findByText('The rule you wanted to edit no longer exists.');
  });
});
