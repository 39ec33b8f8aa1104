import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { forgetSession } from '../api/session';
import { owner, serve, showConsole } from '../test-console';

// A form is typed letter by letter, on a busy machine slowly.
vi.setConfig({ testTimeout: 40_000 });
afterEach(forgetSession);

const at = '/api/farms/demo-farm-1/reservoirs';
const tank = {
  id: 'r1',
  name: 'Tank A',
  levelPercent: 50,
  currentLevel: 1000,
  capacity: 2000,
  lastRefill: null,
  etag: '1',
};

async function form(path: string, title: string, known: object = tank) {
  const server = serve({ [`GET ${at}`]: { body: [known] }, [`PUT ${at}/r1`]: { body: tank } });
  const { person, router } = showConsole(path, owner);
  const dialog = within(await screen.findByRole('dialog', { name: title }));
  const save = () => person.click(dialog.getByRole('button', { name: 'Save' }));
  const sent = (method: string) => server.calls.filter(({ call }) => call.startsWith(`${method} ${at}`));
  const gone = () => waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  return { server, person, router, dialog, save, sent, gone };
}

it('stands in the address, and leaves it when it is done', async () => {
  const { router, save, gone } = await form('/reservoirs?edit=r1', 'Edit reservoir');
  await save();
  await gone();
  expect(router.state.location.search).toBe('');
});

it('says at its field what the server would not take, and takes the focus to what is missing', async () => {
  const { server, person, dialog, save } = await form('/reservoirs?edit=r1', 'Edit reservoir');
  const problems = [{ path: 'capacity', code: 'x', message: 'Too large' }];
  server.table[`PUT ${at}/r1`] = { status: 422, body: { error: 'Please look again', problems } };
  await save();
  expect((await dialog.findByRole('alert')).textContent).toContain('Please look again');
  expect(dialog.getByLabelText(/^Capacity/).getAttribute('aria-invalid')).toBe('true');
  expect(dialog.getByText('Too large')).toBeDefined();
  await person.clear(dialog.getByLabelText(/^Name/));
  await save();
  await waitFor(() => expect(document.activeElement).toBe(dialog.getByLabelText(/^Name/)));
});

it('saves only over what the person saw, and shows what is there now', async () => {
  const { server, person, dialog, save, sent, gone } = await form('/reservoirs?edit=r1', 'Edit reservoir');
  const current = { ...tank, name: 'Tank One', capacity: 2500, etag: '2' };
  const changedAt = Date.parse('2026-11-21T06:30:00Z');
  server.table[`PUT ${at}/r1`] = {
    status: 412,
    body: { error: 'Changed', code: 'changed_meanwhile', changedBy: 'Ravi', changedAt, current },
  };
  await person.clear(dialog.getByLabelText(/^Capacity/));
  await person.type(dialog.getByLabelText(/^Capacity/), '2200');
  await save();
  expect((await dialog.findByRole('alert')).textContent).toMatch(/^Ravi changed this at 12:00/);
  expect(sent('PUT').at(-1)?.headers['if-match']).toBe('"1"');
  // What was typed stays, on top of the other's name.
  server.table[`PUT ${at}/r1`] = { body: current };
  await person.click(dialog.getByRole('button', { name: 'Keep what I typed' }));
  expect(dialog.queryByRole('alert')).toBeNull();
  await save();
  await gone();
  const { body, headers } = sent('PUT').at(-1) ?? {};
  expect(body).toMatchObject({ name: 'Tank One', capacity: 2200 });
  expect(headers?.['if-match']).toBe('"2"');
});

it('gives up what was typed for what is there now, when told so', async () => {
  const { server, person, dialog, save } = await form('/reservoirs?edit=r1', 'Edit reservoir');
  const current = { ...tank, name: 'Tank One', etag: '2' };
  server.table[`PUT ${at}/r1`] = {
    status: 412,
    body: { error: 'Changed', code: 'changed_meanwhile', changedBy: null, changedAt: null, current },
  };
  await person.type(dialog.getByLabelText(/^Name/), ' mine');
  await save();
  await person.click(await dialog.findByRole('button', { name: 'Show the other version' }));
  expect((dialog.getByLabelText(/^Name/) as HTMLInputElement).value).toBe('Tank One');
});

it('asks for no precondition where the server says no version', async () => {
  const { etag: _, ...old } = tank;
  const { save, sent, gone } = await form('/reservoirs?edit=r1', 'Edit reservoir', old);
  await save();
  await gone();
  expect(sent('PUT').map(({ headers }) => 'if-match' in headers)).toEqual([false]);
});

it('is the same new thing while nobody knows whether it arrived', async () => {
  const { server, person, dialog, save, sent, gone } = await form('/reservoirs?new', 'Add reservoir');
  const key = () => sent('POST').at(-1)?.headers['idempotency-key'];
  await person.type(dialog.getByLabelText(/^Name/), 'Pond');
  server.table[`POST ${at}`] = 'down';
  await save();
  await dialog.findByRole('alert');
  const first = key();
  expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  server.table[`POST ${at}`] = { status: 422, body: { error: 'No' } };
  await save();
  await dialog.findByText('No');
  expect(key()).toBe(first);
  // The server has answered: what comes now is another try.
  server.table[`POST ${at}`] = { status: 201, body: tank };
  await save();
  await gone();
  expect(key()).not.toBe(first);
});
