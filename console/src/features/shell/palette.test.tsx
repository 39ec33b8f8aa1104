// Everything by its name: a button, Ctrl K, and what is found of what somebody may see.
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import Rule from '~icon/Robot';
import { farmAs, owner, serve, showConsole } from '../../test-console';
import { found } from './find';

const at = (name: string) => `GET /api/farms/demo-farm-1/${name}`;
const farmScope = { type: 'farm' };

async function palette(role = 'OWNER') {
  const server = serve({
    'GET /api/farms': { body: [farmAs(role)] },
    [at('polyhouses')]: { body: [{ id: 'p 1', name: 'House 1', zones: [{ id: 'z', name: 'Zone A' }] }] },
    [at('devices')]: {
      body: [{ id: 'd1', name: 'Exhaust fan 1', type: 'fan', scope: farmScope, state: { mode: 'auto' } }],
    },
    [at('rules')]: { body: [{ id: 'r1', name: 'Cool house 1' }] },
    [at('users')]: {
      body: { users: [{ id: 'u1', name: 'Ganesh Shinde', email: null, phone: '+919800000003' }] },
    },
  });
  const view = showConsole('/tasks', owner);
  await screen.findByRole('button', { name: /^Find/ });
  await view.person.keyboard('{Control>}k{/Control}');
  const dialog = within(await screen.findByRole('dialog', { name: 'Find' }));
  const field = await dialog.findByRole('combobox', { name: 'Find' });
  const rows = () => dialog.queryAllByRole('option').map((row) => row.textContent);
  return { ...view, server, dialog, field, rows };
}

describe('the palette', () => {
  it('finds houses, devices, rules and people, and leads there', async () => {
    const { person, field, dialog, rows } = await palette();
    await person.type(field, 'house 1');
    await waitFor(() => expect(rows()).toEqual(['House 1Zone A', 'Cool house 1']));
    await person.clear(field);
    await person.type(field, '98000');
    await waitFor(() => expect(rows()).toEqual(['Ganesh Shinde+919800000003']));
    await person.clear(field);
    await person.type(field, 'fan');
    await waitFor(() => expect(rows()).toEqual(['Exhaust fan 1Fan · Whole farm']));
    await person.clear(field);
    await person.type(field, '/manual?device=d1');
    await waitFor(() => expect(rows()).toEqual(['Exhaust fan 1Fan · Whole farm']));
    await person.clear(field);
    await person.type(field, 'add task');
    await waitFor(() => expect(rows()).toEqual(['Add task']));
    await person.keyboard('{ArrowDown}');
    expect(field.getAttribute('aria-activedescendant')).toBe(dialog.getByRole('option').id);
    await person.keyboard('{Enter}');
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Find' })).toBeNull());
    expect(await screen.findByRole('dialog', { name: 'New task' })).toBeDefined();
  });

  it('offers what may be added, and says when there is nothing', async () => {
    const { person, field, dialog, rows } = await palette();
    await person.type(field, 'add');
    await waitFor(() =>
      expect(rows()).toEqual(['Add alert configuration', 'Add task', 'Add user', 'Add controller']),
    );
    await person.type(field, ' nothing such');
    expect(await dialog.findByText('Nothing of that name')).toBeDefined();
  });

  it('offers a viewer nothing that would be refused', async () => {
    const { person, field, rows, server } = await palette('VIEWER');
    await person.type(field, 'add');
    await waitFor(() => expect(rows()).toEqual([]));
    expect(server.calls.some(({ call }) => call === at('users'))).toBe(false);
  });
});

describe('what is found', () => {
  const icon = Rule;
  const search = (typed: string) =>
    found(typed, [
      {
        label: 'a',
        things: [
          { path: '/1', name: 'पंखा १', about: 'हरितगृह', icon },
          { path: '/manual/2', name: 'Side vent', about: 'House 1', icon },
          { path: '/3', name: 'Vent of house 2', icon },
        ],
      },
      { label: 'b', things: [{ path: '/4', name: 'Réservoir', icon }] },
    ]).flatMap(({ things }) => things.map(({ path }) => path.slice(-1)));

  it('has all words, in any order and place, without case; what begins with them comes first', () => {
    expect(search('HOUSE vent')).toEqual(['2', '3']);
    expect(search('vent')).toEqual(['3', '2']);
    expect(search('/man')).toEqual(['2']);
    expect(search('house vent pump')).toEqual([]);
  });

  it('knows Devanagari and leaves out the marks of Latin letters', () => {
    expect(search('पंखा')).toEqual(['1']);
    expect(search('पखा')).toEqual([]);
    expect(search('reser')).toEqual(['4']);
  });

  it('is everything before something is typed', () => {
    expect(search(' ')).toHaveLength(4);
  });
});
