import { fireEvent, screen, waitFor, within } from '@testing-library/react';
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
const sees = (change: Partial<Sight>) => ({
  rule: 'rule-1',
  parts: [],
  trigger: sight(),
  stop: sight(change),
});
const checked = (...hazards: Hazard[]) => ({ body: { trigger: sight(), stop: null, hazards, found: [] } });

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

const line = async (name: string) => {
  const heading = await screen.findByRole('heading', { level: 3, name });
  return heading.closest('article') as HTMLElement;
};
/** What is behind the line of a rule, unfolded. */
const card = async (name: string) => {
  const found = await line(name);
  const details = found.querySelector('details') as HTMLDetailsElement;
  if (!details.open) fireEvent.click(found.querySelector('summary') as HTMLElement);
  await waitFor(() => expect(found.querySelector('[data-phase], [data-blind]')).not.toBeNull());
  return within(found);
};

describe('the list', () => {
  it('tells a rule in one sentence and in the words of the specification', async () => {
    await page();
    const cool = await card('Cool East');
    await waitFor(() =>
      cool.getAllByText(
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
    await waitFor(() => expect(cool.getAllByText('This rule has control')).toHaveLength(2));

    const dry = await card('Dry East');
    for (const text of [
      'Draft',
      'Does nothing until it is deployed',
      'When Humidity is between 80% and 95% for 60 s',
      'Stops when the condition has been false for 1 min',
    ])
      dry.getByText(text);
  });

  it('says on a line how a rule stands, and folds the rest until it is asked for', async () => {
    const { person, unmount } = await page();
    const cool = await line('Cool East');
    const folded = cool.querySelector('details') as HTMLDetailsElement;
    expect(folded.open).toBe(false);
    within(cool).getByRole('img', { name: 'Running' });
    // Its value now, and the limits that it stands against, for who does not see the gauge.
    await waitFor(() =>
      expect(cool.querySelector('summary')?.textContent).toContain(
        '36.2 °C, starts > 35 °C, stops < 30.5 °C',
      ),
    );
    expect(within(cool).queryByRole('button')).toBeNull();
    within(await line('Dry East')).getByRole('img', { name: 'Draft' });
    expect((await line('Dry East')).querySelector('summary')?.textContent).toContain('not known');
    expect((await line('Dry East')).querySelector('[data-unknown]')).not.toBeNull();

    await person.click(cool.querySelector('summary') as HTMLElement);
    await waitFor(() => expect(folded.open).toBe(true));
    within(cool).getByRole('button', { name: 'Edit Cool East' });
    unmount();
    await page();
    expect((await line('Cool East')).querySelector('details')?.open).toBe(true);
    expect((await line('Dry East')).querySelector('details')?.open).toBe(false);
  });

  it('stands by house, those with a rule that cannot see first', async () => {
    const west: Rule = {
      ...running,
      id: 'rule-3',
      name: 'Cool West',
      scope: { type: 'polyhouse', polyhouseId: 'p2', name: 'West' },
    };
    await page({
      [`GET ${path}`]: { body: [running, draft, west] },
      'GET /api/farms/demo-farm-1/conditions': {
        body: [
          sees({ holds: false }),
          { rule: 'rule-3', parts: [], trigger: sight({ value: null }), stop: null },
        ],
      },
    });
    await line('Cool West');
    const order = () => screen.getAllByRole('heading', { level: 2 }).map((heading) => heading.textContent);
    await waitFor(() => expect(order()).toEqual(['West', 'East']));
    within(await line('Cool West')).getByRole('img', { name: 'Cannot see' });
    within(screen.getByRole('region', { name: 'East' })).getByRole('heading', { name: 'Dry East' });
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
    const shown = () => screen.getAllByRole('heading', { level: 3 }).map((heading) => heading.textContent);
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
    await card('Dry East');
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
  const field = (label: string) => screen.getByLabelText<HTMLInputElement>(new RegExp(`^${label}`));
  /** The sentence as it is read. */
  const sentence = () => document.querySelector('[data-sentence] > div')?.textContent;
  const word = (name: string | RegExp) =>
    within(document.querySelector('[data-sentence]') as HTMLElement).getByRole('button', { name });
  type Person = Awaited<ReturnType<typeof page>>['person'];
  /** Opens the choice of a word, for what follows in it. */
  const ask = async (person: Person, name: string | RegExp) => {
    await person.click(word(name));
    return within(await screen.findByRole('dialog'));
  };
  const choose = async (person: Person, name: string | RegExp, option: string | RegExp) => {
    await person.click((await ask(person, name)).getByRole('button', { name: option }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  };
  const turn = async (person: Person, name: string | RegExp, value: string) => {
    const choice = await ask(person, name);
    await person.clear(choice.getByRole('spinbutton'));
    await person.type(choice.getByRole('spinbutton'), value);
    await person.click(choice.getByRole('button', { name: 'Done' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  };

  it('makes a rule by choosing the words of its sentence, and names it by what it says', async () => {
    const { person, sent, table, calls } = await page({ [`POST ${path}`]: { status: 201, body: running } });
    await line('Cool East');
    await person.click(screen.getByRole('button', { name: 'Create New Rule' }));
    const title = await screen.findByRole('heading', { level: 1, name: 'Create New Rule' });
    expect(document.activeElement).toBe(title);
    expect(sentence()).toBe(
      'When the temperature in East stays above how much? for 5 min, turn on which device?.',
    );
    await turn(person, 'When, Value: how much?', '36');
    await choose(person, 'Action 1, Device: which device?', 'Doser');
    await choose(person, 'Action 1, What to do: turn off', 'Set flow rate');
    await turn(person, 'Action 1, Value: how much?', '2.5');
    const wait = await ask(person, 'Action 1, What to do: set');
    await person.click(wait.getByRole('button', { name: 'Wait before this' }));
    await person.click(wait.getByRole('button', { name: '5 s' }));
    expect(sentence()).toBe(
      'When the temperature in East stays above 36 °C for 5 min, set Doser to 2.5 ml/s after 5 s.',
    );
    expect(field('Name').value).toBe('Temperature above 36 °C: Doser');
    await screen.findByText('Now 36.2 °C');
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
    // It is said at the word, too.
    expect(document.querySelector('[data-path="actions.0.device_id"][data-warned]')).not.toBeNull();
    table[check] = checked();
    await person.click(screen.getByRole('button', { name: 'Stop condition' }));
    expect(sentence()).toMatch(/; stop when it stays below 33 °C for 5 min\.$/);
    await choose(person, 'Stop, For how long: 5 min', '2 min');
    await waitFor(() => expect(screen.queryByText(/has no stop condition/)).toBeNull());
    await person.click(screen.getByRole('button', { name: 'Save and deploy' }));
    await screen.findByRole('heading', { level: 1, name: 'Automation Rules' });
    expect(sent(`POST ${path}`)?.body).toMatchObject({
      name: 'Temperature above 36 °C: Doser',
      deployed: true,
      priority: 5,
      trigger: { sensor_type: 'temperature', operator: 'gt', value: 36, duration_sec: 300 },
      actions: [{ device_id: 'doser', command: { action: 'set_flow_rate', value: 2.5 }, delay_sec: 5 }],
      stop_condition: { sensor_type: 'temperature', operator: 'lt', value: 33, duration_sec: 120 },
    });
    screen.getByText('“Cool East” is saved and deployed.');
  });

  it('offers the usual jobs of the place, and one fills the sentence', async () => {
    const { person, sent } = await page(
      {
        [`POST ${path}`]: { status: 201, body: running },
        'GET /api/farms/demo-farm-1/sensors': {
          body: [
            { id: 's1', type: 'temperature', scope: { type: 'polyhouse', polyhouseId: 'p1' }, gone: false },
          ],
        },
      },
      '/automation/rules?new',
    );
    const jobs = await screen.findByRole('region', { name: 'Usual jobs here' });
    // A house without sensors has none.
    await choose(person, 'Scope: in East', 'West');
    expect(screen.queryByRole('region', { name: 'Usual jobs here' })).toBeNull();
    await choose(person, 'Scope: in West', 'East');
    expect(within(jobs).getAllByRole('button')).toHaveLength(1);
    await person.click(await screen.findByRole('button', { name: /^Cool with Fan 1/ }));
    expect(sentence()).toBe(
      'When the temperature in East stays above 35 °C for 5 min, turn on Fan 1; stop when it stays below 32 °C for 2 min.',
    );
    expect(screen.queryByRole('region', { name: 'Usual jobs here' })).toBeNull();
    await person.click(screen.getByRole('button', { name: 'Save and deploy' }));
    await screen.findByRole('heading', { level: 1, name: 'Automation Rules' });
    expect(sent(`POST ${path}`)?.body).toMatchObject({
      name: 'Temperature above 35 °C: Fan 1',
      deployed: true,
      stop_condition: { operator: 'lt', value: 32, duration_sec: 120 },
    });
  });

  it('begins with the place and the quantity of the chart that it was made from', async () => {
    await page({}, '/automation/rules?new&type=humidity&scope=polyhouse:p2');
    await screen.findByRole('heading', { name: 'Create New Rule' });
    expect(sentence()).toMatch(/^When the humidity in West stays /);
  });

  it('writes the one usual job that is about the quantity at once', async () => {
    const sensor = {
      id: 's1',
      type: 'temperature',
      scope: { type: 'polyhouse', polyhouseId: 'p1' },
      gone: false,
    };
    await page(
      { 'GET /api/farms/demo-farm-1/sensors': { body: [sensor] } },
      '/automation/rules?new&type=temperature&scope=polyhouse:p1',
    );
    await waitFor(() =>
      expect(sentence()).toBe(
        'When the temperature in East stays above 35 °C for 5 min, turn on Fan 1; stop when it stays below 32 °C for 2 min.',
      ),
    );
  });

  it('begins as ever where the address names what the farm has not', async () => {
    await page({}, '/automation/rules?new&type=luck&scope=polyhouse:gone');
    await screen.findByRole('heading', { name: 'Create New Rule' });
    expect(sentence()).toMatch(/^When the temperature in East stays /);
  });

  it('lets unit and range follow the sensor, and the value the action', async () => {
    const { person } = await page({}, '/automation/rules?new');
    await screen.findByRole('heading', { name: 'Create New Rule' });
    const limits = (dialog: ReturnType<typeof within>) => {
      const wheel = dialog.getByRole('spinbutton');
      return [wheel.getAttribute('aria-valuemin'), wheel.getAttribute('aria-valuemax')];
    };
    const heat = await ask(person, 'When, Value: how much?');
    expect(limits(heat)).toEqual(['-10', '50']);
    await person.click(heat.getByRole('button', { name: '35 °C' }));
    await choose(person, 'When, Sensor type: the temperature', 'CO₂');
    // 35 of something else is not what was meant.
    const carbon = await ask(person, 'When, Value: how much?');
    expect(limits(carbon)).toEqual(['0', '2000']);
    await person.click(carbon.getByRole('button', { name: '1,200 ppm' }));
    await choose(person, 'When, Condition: stays above', /^is between/);
    await turn(person, 'When, To: how much?', '1500');
    expect(sentence()).toMatch(/^When the CO₂ in East stays between 1,200 ppm and 1,500 ppm for 5 min, /);
    await choose(person, 'Action 1, Device: which device?', 'Fan 1');
    await choose(person, 'Action 1, What to do: turn on', 'Set speed');
    expect(sentence()).toMatch(/run Fan 1 at 100%\.$/);
    const speed = await ask(person, 'Action 1, Value: 100%');
    expect(limits(speed)).toEqual(['0', '100']);
    await person.click(speed.getByRole('button', { name: '75%' }));
    await choose(person, 'Action 1, What to do: run', 'Off');
    expect(sentence()).toMatch(/turn off Fan 1\.$/);
  });

  it('offers no stop condition between two values, and says what cannot be saved', async () => {
    const place = { type: 'polyhouse', polyhouseId: 'p1' } as const;
    const { person } = await page(
      { [check]: checked({ kind: 'no_sensor', sensor_type: 'temperature', place }) },
      '/automation/rules?new',
    );
    await screen.findByRole('heading', { name: 'Create New Rule' });
    await screen.findByText(
      'No sensor measures the temperature in East or elsewhere on the farm: this rule cannot be saved.',
    );
    // A stop condition knows no "between".
    await choose(person, /^Stop: once this is false/, /^With a stop condition/);
    const compared = await ask(person, 'Stop, Condition: stays below');
    expect(compared.queryByRole('button', { name: /between/ })).toBeNull();
    await person.keyboard('{Escape}');
    await choose(person, 'Stop: stop', /^No stop condition/);
    expect(sentence()).toMatch(/turn on which device\?\.$/);
  });

  it('shows what is missing at its word, leads to the first, and sends nothing', async () => {
    const { person, calls } = await page({}, '/automation/rules?new');
    await screen.findByRole('heading', { name: 'Create New Rule' });
    await person.click(screen.getByRole('button', { name: 'Save as draft' }));
    const summary = await screen.findByRole('alert');
    const told = () =>
      within(summary)
        .getAllByRole('button')
        .map((item) => item.textContent);
    expect(told()).toEqual(['When, Value: This is required', 'Action 1, Device: This is required']);
    const value = word('When, Value: how much? This is required');
    expect(document.activeElement).toBe(value);
    await person.click(within(summary).getByRole('button', { name: /^Action 1/ }));
    expect(document.activeElement).toBe(word(/^Action 1, Device: which device\?/));
    await person.click(value);
    const wheel = within(await screen.findByRole('dialog')).getByRole('spinbutton');
    await person.type(wheel, '60');
    // The summary says it as well.
    expect(screen.getAllByText(/It must be from -10 to 50/)).toHaveLength(2);
    expect(wheel.getAttribute('aria-invalid')).toBe('true');
    await person.keyboard('{Escape}');
    await person.type(field('Name'), 'x');
    await person.clear(field('Name'));
    expect(told()).toContain('Name: Give the rule a name');
    expect(calls.some(({ call }) => call === `POST ${path}`)).toBe(false);
  });

  it('is walked by keys: a word opens, the arrows walk, Escape leaves, and the focus is back at the word', async () => {
    const { person } = await page({}, '/automation/rules?new');
    await screen.findByRole('heading', { name: 'Create New Rule' });
    const compared = word('When, Condition: stays above');
    compared.focus();
    await person.keyboard('{Enter}');
    const dialog = within(await screen.findByRole('dialog', { name: 'Condition' }));
    await waitFor(() =>
      expect(document.activeElement).toBe(dialog.getByRole('button', { name: 'is above (>)' })),
    );
    await person.keyboard('{ArrowDown}{ArrowDown}');
    expect(document.activeElement).toBe(dialog.getByRole('button', { name: 'is below (<)' }));
    await person.keyboard('{Enter}');
    await waitFor(() => expect(document.activeElement).toBe(word('When, Condition: stays below')));
    await person.keyboard('{Enter}');
    await screen.findByRole('dialog');
    await person.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await waitFor(() => expect(document.activeElement).toBe(word('When, Condition: stays below')));
  });

  it('shows what the server refuses at its word or field, until that is changed', async () => {
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
    await screen.findByText('When, Sensor type: There is no such sensor here or nearby');
    expect(sent(`PUT ${path}/rule-2`)?.body).toMatchObject({ deployed: false, name: 'Dry East' });
    const sensor = word('When, Sensor type: the humidity There is no such sensor here or nearby');
    expect(document.activeElement).toBe(sensor);
    screen.getByText('Action 1, Device: This no longer exists');
    screen.getByText('This is odd');
    // Folded it could not be seen.
    expect(field('Description').closest('details')?.open).toBe(true);
    await choose(person, /^When, Sensor type/, 'Soil moisture');
    expect(screen.queryByText(/There is no such sensor here or nearby/)).toBeNull();
    await choose(person, /^Action 1, Device/, 'Doser');
    expect(screen.getByRole('alert').textContent).not.toContain('This no longer exists');
    await person.type(field('Description'), 'x');
    expect(screen.queryByText(/This is odd/)).toBeNull();
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
    await line('Cooler');
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
    expect(sentence()).toContain('stays above 37 °C');
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
    await screen.findByRole('heading', { level: 1, name: 'Edit Rule' });
    await person.click(screen.getByRole('button', { name: 'Add action' }));
    expect(sentence()).toContain(
      'turn on Fan 1, run Fan 1 at 80% after 30 s and turn on which device?; stop',
    );
    await choose(person, 'Action 1, Device: Fan 1', 'Remove this action');
    expect(sentence()).toContain('5 min, run Fan 1 at 80% after 30 s and turn on which device?; stop');
    await person.click(screen.getByRole('button', { name: 'Cancel' }));
    await line('Cool East');
    expect(where()).toBe('/automation/rules');
    expect(calls.some(({ call }) => /^(PUT|POST) .*rules/.test(call))).toBe(false);
    expect(document.activeElement?.textContent).toBe('Automation Rules');
  });

  it('keeps behind "More" what most rules leave as it is', async () => {
    const { person, sent } = await page(
      { [`PUT ${path}/rule-1`]: { body: running } },
      '/automation/rules?edit=rule-1',
    );
    await screen.findByRole('heading', { level: 1, name: 'Edit Rule' });
    await person.clear(field('Priority'));
    await person.type(field('Priority'), '8');
    await person.selectOptions(field('If the sensors stop reporting'), 'stop');
    await person.selectOptions(field('Mode'), 'disabled');
    await person.selectOptions(field('Sensors of the trigger'), 'farm');
    await person.selectOptions(field('Sensors of the stop condition'), 'zone:z1');
    expect(sentence()).toMatch(
      /^When the temperature across the farm stays above .* stop when the temperature in Roses of East stays/,
    );
    await person.click(screen.getByRole('button', { name: 'Save changes' }));
    await screen.findByRole('heading', { level: 1, name: 'Automation Rules' });
    expect(sent(`PUT ${path}/rule-1`)?.body).toMatchObject({
      priority: 8,
      on_signal_lost: 'stop',
      mode: 'disabled',
      scope: { polyhouseId: 'p1' },
      trigger: { scope: { type: 'farm' } },
      stop_condition: { scope: { zoneId: 'z1' } },
    });
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
    await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
    (await ask(person, 'Action 1, Device: which device?')).getByRole('button', { name: 'Fan 1' });
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
