import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { forgetSession } from '../../api/session';
import { answerTo, farmAs, owner, serve, showConsole } from '../../test-console';

vi.setConfig({ testTimeout: 40_000 });
afterEach(forgetSession);

const at = '/api/farms/demo-farm-1/device-groups';
const generator = {
  id: 'g1',
  name: 'Generator',
  at_most: 2,
  running: 1,
  members: [{ id: 'pump 1', name: 'Well pump' }],
  etag: 'v1',
};

async function page(answers: Parameters<typeof serve>[0] = {}, role = 'OWNER') {
  const server = serve({
    'GET /api/farms': { body: [farmAs(role)] },
    [`GET ${at}`]: { body: [generator] },
    ...answers,
  });
  const view = showConsole('/automation/groups', owner);
  await screen.findByRole('heading', { level: 2, name: 'Generator' });
  const sent = () => server.calls.filter(({ call }) => !call.startsWith('GET'));
  return { ...view, sent };
}

it('lists the groups with who is in them', async () => {
  await page({}, 'VIEWER');
  const card = within(
    (await screen.findByRole('heading', { level: 2, name: 'Generator' })).closest('li') as HTMLElement,
  );
  expect(card.getByText('2 at a time')).toBeDefined();
  expect(card.getByText('1 of 2 run now')).toBeDefined();
  expect(card.getByRole('link', { name: 'Well pump' }).getAttribute('href')).toBe(
    '/automation/manual?device=pump%201',
  );
  expect(screen.queryByRole('button', { name: 'Add group' })).toBeNull();
});

it('changes one as it was seen', async () => {
  const { person, sent } = await page({ [`PUT ${at}/g1`]: { body: { ...generator, at_most: 3 } } });
  await person.click(await screen.findByRole('button', { name: 'Edit Generator' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit group' }));
  await person.clear(dialog.getByLabelText('How many run at a time'));
  await person.click(dialog.getByRole('button', { name: 'Save' }));
  expect(dialog.getByText('A number above zero is needed')).toBeDefined();
  await person.type(dialog.getByLabelText('How many run at a time'), '3');
  await person.click(dialog.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  const [put] = sent();
  expect(put).toMatchObject({ call: `PUT ${at}/g1`, body: { name: 'Generator', at_most: 3 } });
  expect(put?.headers['if-match']).toBe('"v1"');
});

it('says who is still in one that is to be deleted', async () => {
  const { person } = await page({
    [`DELETE ${at}/g1`]: {
      status: 409,
      body: {
        error: 'This cannot be deleted.',
        code: 'in_use',
        problems: [{ path: 'devices.pump 1', code: 'in_use', message: 'Device: Well pump' }],
      },
    },
  });
  await person.click(await screen.findByRole('button', { name: 'Delete Generator' }));
  await answerTo(person, 'Delete Generator?', 'Delete');
  expect((await screen.findByRole('alert')).textContent).toBe('This cannot be deleted. · Device: Well pump');
});
