import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { forgetSession } from '../../api/session';
import { type Answer, answerTo, farmAs, owner, serve, showConsole } from '../../test-console';

// A form is typed letter by letter, on a busy machine slowly.
vi.setConfig({ testTimeout: 40_000 });

afterEach(() => {
  forgetSession();
  vi.restoreAllMocks();
});

const weed = {
  id: 't1',
  title: 'Weed bay 3',
  description: 'Along the north wall',
  assignee: { id: 'u1', name: 'Asha Patil' },
  dueDate: '2026-11-03',
  category: 'Field work',
  priority: 'URGENT',
  status: 'OPEN',
  isOverdue: true,
  createdAt: 0,
  updatedAt: 0,
};
const clean = {
  ...weed,
  id: 't2',
  title: 'Clean filters',
  assignee: null,
  category: null,
  priority: 'LOW',
  isOverdue: false,
};
const calibrate = { ...clean, id: 't3', title: 'Calibrate pH', status: 'IN_PROGRESS', priority: 'HIGH' };
const path = '/api/farms/demo-farm-1/tasks';
const people = [
  { id: 'u1', name: 'Asha Patil' },
  { id: 'u2', name: 'Ravi Jadhav' },
];

async function board(answers: Record<string, Answer> = {}, at = '/tasks') {
  const server = serve({
    [`GET ${path}`]: { body: [weed, clean, calibrate] },
    'GET /api/farms/demo-farm-1/assignees': { body: people },
    ...answers,
  });
  const view = showConsole(at, owner);
  await screen.findByTestId('board');
  const column = (name: string) => within(screen.getByRole('region', { name: new RegExp(`^${name}`) }));
  const titles = (name: string) =>
    column(name)
      .queryAllByRole('heading', { level: 3 })
      .map(({ textContent }) => textContent);
  const sent = (call: string) => server.calls.filter((made) => made.call === call).map(({ body }) => body);
  return { ...view, server, column, titles, sent };
}

describe('the board', () => {
  it('has the four columns with their cards', async () => {
    const { column, titles } = await board();
    expect(screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent)).toEqual([
      'Open 2',
      'In progress 1',
      'In review 0',
      'Closed 0',
    ]);
    expect(titles('Open')).toEqual(['Weed bay 3', 'Clean filters']);
    expect(titles('In progress')).toEqual(['Calibrate pH']);
    expect(column('Closed').getByText('Nothing here.')).toBeDefined();
  });

  it('shows a task: title, priority, description, category, assignee and due date', async () => {
    const { container } = await board();
    const card = within(container.querySelector('[data-task="t1"]') as HTMLElement);
    for (const text of ['Weed bay 3', 'Urgent', 'Along the north wall', 'Field work', 'Asha Patil', '3 Nov'])
      expect(card.getByText(text)).toBeDefined();
    // Late is a word, not only red.
    expect(card.getByText('Overdue')).toBeDefined();
    const other = within(container.querySelector('[data-task="t2"]') as HTMLElement);
    expect(other.queryByText('Overdue')).toBeNull();
    expect(other.getByText('Nobody yet')).toBeDefined();
  });

  it('says that it loads, and what went wrong', async () => {
    const server = serve({ [`GET ${path}`]: { status: 503, body: { error: 'Not ready', code: 'x' } } });
    const { person } = showConsole('/tasks', owner);
    await screen.findByText('Loading...');
    expect((await screen.findByRole('alert')).textContent).toContain('Not ready');
    server.table[`GET ${path}`] = { body: [weed] };
    await person.click(screen.getByRole('button', { name: 'Try again' }));
    await screen.findByText('Weed bay 3');
  });

  it('filters, in the URL', async () => {
    const { person, titles, router } = await board();
    await person.click(screen.getByRole('button', { name: 'My tasks' }));
    expect(titles('Open')).toEqual(['Weed bay 3']);
    expect(titles('In progress')).toEqual([]);
    expect(router.state.location.search).toContain('mine');
    await person.click(screen.getByRole('button', { name: 'My tasks' }));
    await person.click(screen.getByRole('button', { name: 'Overdue' }));
    expect(router.state.location.search).toBe('?overdue=');
    expect(titles('Open')).toEqual(['Weed bay 3']);
  });
});

describe('moving', () => {
  const keys = async (handle: HTMLElement, ...codes: string[]) => {
    handle.focus();
    for (const code of codes) {
      fireEvent.keyDown(handle, { code, key: code });
      // The library starts to listen a moment after it has taken a card.
      await new Promise((wake) => setTimeout(wake, 20));
    }
  };
  const moved = { ...weed, status: 'IN_PROGRESS' };

  it('works by keys, and is told', async () => {
    const { titles, sent, server } = await board({ [`POST ${path}/t1/move`]: { body: moved } });
    const handle = screen.getByRole('button', { name: 'Move Weed bay 3' });
    const said = () => screen.getByTestId('spoken').textContent;
    await keys(handle, 'Space');
    expect(said()).toBe('Picked up Weed bay 3: Open, 1 of 2.');
    await keys(handle, 'ArrowRight', 'ArrowDown');
    expect(said()).toBe('In progress, 2 of 2: Weed bay 3.');
    server.table[`GET ${path}`] = { body: [clean, calibrate, moved] };
    await keys(handle, 'Space');
    expect(said()).toBe('Weed bay 3 is now in In progress, 2 of 2.');
    expect(titles('In progress')).toEqual(['Calibrate pH', 'Weed bay 3']);
    await waitFor(() =>
      expect(sent(`POST ${path}/t1/move`)).toEqual([{ status: 'IN_PROGRESS', afterId: 't3' }]),
    );
  });

  it('is cancelled by Escape, and ignored at the same position', async () => {
    const { titles, sent } = await board();
    const handle = screen.getByRole('button', { name: 'Move Weed bay 3' });
    await keys(handle, 'Space', 'ArrowRight', 'Escape');
    expect(screen.getByTestId('spoken').textContent).toBe('Weed bay 3 stays in Open.');
    await keys(handle, 'Space', 'ArrowDown', 'ArrowUp', 'Space');
    expect(titles('Open')).toEqual(['Weed bay 3', 'Clean filters']);
    expect(sent(`POST ${path}/t1/move`)).toEqual([]);
  });

  it('goes back and says so when the server refuses', async () => {
    const { person, titles } = await board({
      [`POST ${path}/t2/move`]: { status: 500, body: {} },
    });
    await person.click(screen.getByRole('button', { name: 'What to do with Clean filters' }));
    await person.click(await screen.findByRole('menuitem', { name: 'Closed' }));
    expect((await screen.findByRole('alert')).textContent).toBe(
      'The task could not be moved; it is back in its place.',
    );
    expect(titles('Open')).toEqual(['Weed bay 3', 'Clean filters']);
    expect(titles('Closed')).toEqual([]);
  });

  it('shows at once what the server has not answered yet', async () => {
    const { person, titles } = await board();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const answerNow = globalThis.fetch;
    globalThis.fetch = (async (request: Request) => {
      if (request.url.endsWith('/move')) await held;
      return answerNow(request);
    }) as typeof fetch;
    await person.click(screen.getByRole('button', { name: 'What to do with Clean filters' }));
    await person.click(await screen.findByRole('menuitem', { name: 'Move up' }));
    expect(titles('Open')).toEqual(['Clean filters', 'Weed bay 3']);
    release();
    // The table has no answer for it: a refusal.
    await screen.findByRole('alert');
    expect(titles('Open')).toEqual(['Weed bay 3', 'Clean filters']);
  });

  it('offers the other columns, and up and down', async () => {
    const { person } = await board();
    await person.click(screen.getByRole('button', { name: 'What to do with Weed bay 3' }));
    expect((await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent)).toEqual([
      'In progress',
      'In review',
      'Closed',
      'Move down',
      'Edit task',
      'Delete task',
    ]);
  });
});

describe('the form', () => {
  const dialog = (name: string) => screen.findByRole('dialog', { name }).then((element) => within(element));

  it('creates', async () => {
    const { person, sent } = await board({ [`POST ${path}`]: { status: 201, body: clean } });
    await person.click(screen.getByRole('button', { name: 'Create' }));
    const form = await dialog('New task');
    await person.click(form.getByRole('button', { name: 'Save' }));
    expect(form.getByText('Title is required')).toBeDefined();
    await person.type(form.getByLabelText(/^Title/), ' Clean filters ');
    await form.findByRole('option', { name: 'Ravi Jadhav' });
    await person.selectOptions(form.getByLabelText('Assignee'), 'Ravi Jadhav');
    fireEvent.change(form.getByLabelText(/^Due date/), { target: { value: '2026-12-01' } });
    await person.type(form.getByLabelText('Category'), 'Upkeep');
    await person.selectOptions(form.getByLabelText('Priority'), 'High');
    await person.click(form.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(sent(`POST ${path}`)).toEqual([
      {
        title: 'Clean filters',
        description: null,
        assigneeId: 'u2',
        dueDate: '2026-12-01',
        category: 'Upkeep',
        priority: 'HIGH',
        about: null,
      },
    ]);
  });

  const about = (kind: string, id: string, name: string | null) => ({ kind, id, name });
  const chosenFrom = {
    'GET /api/farms/demo-farm-1/crop-cycles': {
      body: [
        { id: 'c1', crop: 'Capsicum', variety: 'Indra', zone: 'House 1, Bay A', state: 'GROWING' },
        { id: 'c2', crop: 'Tomato', variety: null, zone: 'House 1, Bay B', state: 'ENDED' },
      ],
    },
    'GET /api/farms/demo-farm-1/polyhouses': {
      body: [{ id: 'p1', name: 'House 1', zones: [{ id: 'zone:1', name: 'Bay A' }] }],
    },
    'GET /api/farms/demo-farm-1/devices': {
      body: [
        { id: 'd1', name: 'Fan 1', gone: false, state: { mode: 'auto' } },
        { id: 'd2', name: 'Old pump', gone: true, state: { mode: 'auto' } },
      ],
    },
  };
  const options = (select: HTMLElement) =>
    [...select.querySelectorAll('optgroup')].map(({ label, children }) => [
      label,
      ...[...children].map(({ textContent }) => textContent),
    ]);

  it('says what a task is about, of what there is now', async () => {
    const { person, sent } = await board({ [`POST ${path}`]: { status: 201, body: clean }, ...chosenFrom });
    await person.click(screen.getByRole('button', { name: 'Create' }));
    const form = await dialog('New task');
    await person.type(form.getByLabelText(/^Title/), 'Tie up');
    await waitFor(() =>
      expect(options(form.getByLabelText('About'))).toEqual([
        ['Crops', 'Capsicum Indra · House 1, Bay A'],
        ['Zones', 'House 1, Bay A'],
        ['Devices', 'Fan 1'],
      ]),
    );
    await person.selectOptions(form.getByLabelText('About'), 'House 1, Bay A');
    await person.click(form.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(sent(`POST ${path}`)).toMatchObject([{ about: { kind: 'ZONE', id: 'zone:1' } }]);
  });

  it('keeps what a task is about when something else of it is edited, though it has ended', async () => {
    const tied = { ...calibrate, about: about('CROP_CYCLE', 'c2', 'Tomato') };
    const { person, sent, container } = await board({
      [`GET ${path}`]: { body: [tied, { ...clean, about: about('DEVICE', 'd9', null) }] },
      [`PUT ${path}/t3`]: { body: tied },
      ...chosenFrom,
    });
    const card = (id: string) => container.querySelector(`[data-task="${id}"]`)?.textContent;
    expect([card('t3'), card('t2')]).toEqual([
      expect.stringContaining('Tomato'),
      expect.stringContaining('No longer on the farm'),
    ]);
    await person.click(screen.getByRole('link', { name: 'Calibrate pH' }));
    const form = await dialog('Edit task');
    await person.type(form.getByLabelText('Category'), 's');
    await person.click(form.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(sent(`PUT ${path}/t3`)).toMatchObject([{ about: { kind: 'CROP_CYCLE', id: 'c2' } }]);
  });

  it('says at the field what the server does not know any more', async () => {
    const problems = [{ path: 'about.id', code: 'unknown', message: 'Is gone' }];
    const { person } = await board({
      [`PUT ${path}/t3`]: { status: 422, body: { error: 'x', code: 'y', problems } },
      ...chosenFrom,
    });
    await person.click(screen.getByRole('link', { name: 'Calibrate pH' }));
    const form = await dialog('Edit task');
    await person.click(form.getByRole('button', { name: 'Save' }));
    await form.findByText('Is gone');
    expect(form.getByLabelText('About').getAttribute('aria-invalid')).toBe('true');
  });

  it('edits what it opens, and keeps the column', async () => {
    const { person, sent, router } = await board({ [`PUT ${path}/t3`]: { body: calibrate } });
    await person.click(screen.getByRole('link', { name: 'Calibrate pH' }));
    const form = await dialog('Edit task');
    expect(router.state.location.search).toBe('?task=t3');
    await person.clear(form.getByLabelText(/^Title/));
    await person.type(form.getByLabelText(/^Title/), 'Calibrate EC');
    await person.click(form.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(sent(`PUT ${path}/t3`)).toMatchObject([
      { title: 'Calibrate EC', status: 'IN_PROGRESS', priority: 'HIGH' },
    ]);
  });

  it('says at the field what the server does not take', async () => {
    const problems = [{ path: 'title', code: 'too_long', message: 'At most 200 letters' }];
    const { person } = await board({
      [`PUT ${path}/t3`]: { status: 422, body: { error: 'x', code: 'y', problems } },
    });
    await person.click(screen.getByRole('link', { name: 'Calibrate pH' }));
    const form = await dialog('Edit task');
    await person.click(form.getByRole('button', { name: 'Save' }));
    expect(await form.findByText('At most 200 letters')).toBeDefined();
  });

  it('opens for the quick action of the dashboard', async () => {
    await board({}, '/tasks?new');
    await dialog('New task');
  });

  it('deletes after a confirmation', async () => {
    const { person, sent, server, titles } = await board({ [`DELETE ${path}/t2`]: { status: 204 } });
    const question = 'Are you sure you want to delete this task?';
    const choose = async () => {
      await person.click(screen.getByRole('button', { name: 'What to do with Clean filters' }));
      await person.click(await screen.findByRole('menuitem', { name: 'Delete task' }));
    };
    await choose();
    await answerTo(person, question, 'Cancel');
    expect(sent(`DELETE ${path}/t2`)).toEqual([]);
    server.table[`GET ${path}`] = { body: [weed, calibrate] };
    await choose();
    await answerTo(person, question, 'Delete');
    await waitFor(() => expect(titles('Open')).toEqual(['Weed bay 3']));
  });
});

it('lets a viewer read, and nothing else', async () => {
  const { person } = await board({ 'GET /api/farms': { body: [farmAs('VIEWER')] } }, '/tasks?new');
  const main = within(screen.getByRole('main'));
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(main.queryByRole('button', { name: /Create|Move|What to do/ })).toBeNull();
  await person.click(screen.getByRole('link', { name: 'Weed bay 3' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Task' }));
  expect(dialog.getByText('Along the north wall')).toBeDefined();
  expect(dialog.queryByRole('textbox')).toBeNull();
});
