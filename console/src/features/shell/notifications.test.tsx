import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { forgetSession } from '../../api/session';
import { type Answer, owner, serve, showConsole } from '../../test-console';
import type { Notification } from './notifications';

afterEach(() => {
  forgetSession();
  vi.restoreAllMocks();
});

const path = '/api/farms/demo-farm-1/notifications';
const before = (ms: number) => new Date(Date.now() - ms).toISOString();
const hot: Notification = {
  id: 'n1',
  type: 'alert',
  title: 'Too hot is raised',
  message: 'Temperature 37.2 °C, Polyhouse 1',
  timestamp: before(5 * 60_000 + 500),
  read: false,
  link: '/alerts/17-hot',
  incident: {
    id: '17-hot',
    state: 'taken',
    by: { id: 'u2', name: 'Ravi' },
    until: null,
    taken: { id: 'u2', name: 'Ravi' },
  },
};
const lock: Notification = {
  ...hot,
  id: 'n2',
  type: 'warning',
  title: 'Fan 1 is locked',
  timestamp: before(3 * 3_600_000 + 500),
  link: null,
  incident: null,
};
const well: Notification = {
  ...hot,
  id: 'n3',
  type: 'success',
  title: 'Controller is back',
  incident: null,
  timestamp: before(50 * 3_600_000),
  read: true,
};
const odd = {
  ...hot,
  id: 'n4',
  type: 'of tomorrow',
  title: 'Something',
  incident: null,
  timestamp: before(5_000),
  read: true,
};

async function bell(items: readonly unknown[], unread: number, answers: Record<string, Answer> = {}) {
  const server = serve({ [`GET ${path}`]: { body: { unread, items } }, ...answers });
  const view = showConsole('/templates', owner);
  const button = await screen.findByRole('button', { name: /^Notifications/ });
  if (unread > 0) await screen.findByRole('button', { name: /^Notifications: .* unread/ });
  const called = (call: string) => server.calls.some((made) => made.call === call);
  const open = async () => {
    await view.person.click(button);
    const panel = within(await screen.findByRole('dialog', { name: 'Notifications' }));
    await waitFor(() => expect(document.querySelector('[role=dialog] .mantine-Skeleton-root')).toBeNull());
    return panel;
  };
  const closed = () => waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  return { ...view, server, button, open, called, closed };
}

describe('the bell', () => {
  it('counts what is unread', async () => {
    const { button } = await bell([hot, lock, well], 2);
    expect(button.textContent).toBe('2');
    expect(button.getAttribute('aria-label')).toBe('Notifications: 2 unread');
    expect(screen.getByText('2 unread notifications')).toBeDefined();
  });

  it('stays round when there are many, and has no badge without any', async () => {
    const { button, server, cache } = await bell([hot], 140);
    expect(button.textContent).toBe('99+');
    server.table[`GET ${path}`] = { body: { unread: 0, items: [] } };
    await cache.invalidateQueries();
    await waitFor(() => expect(button.textContent).toBe(''));
    expect(button.getAttribute('aria-label')).toBe('Notifications');
  });

  it('opens and closes the panel, which takes the focus and gives it back', async () => {
    const { person, button, open, closed } = await bell([hot], 1);
    const panel = await open();
    await waitFor(() => expect(document.activeElement?.closest('[role=dialog]')).not.toBeNull());
    expect(panel.getByText('Too hot is raised')).toBeDefined();
    await person.click(button);
    await closed();
    await open();
    await person.keyboard('{Escape}');
    await closed();
    await waitFor(() => expect(document.activeElement).toBe(button));
    await open();
    await person.click(document.body);
    await closed();
  });
});

describe('the panel', () => {
  it('says of each what it is and how long ago it was', async () => {
    const { open } = await bell([odd, hot, lock, well], 2);
    const panel = await open();
    expect(panel.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      'InfoJust nowSomethingTemperature 37.2 °C, Polyhouse 1',
      'Alert5m agoNewToo hot is raisedTemperature 37.2 °C, Polyhouse 1Ravi is on it',
      'Warning3h agoNewFan 1 is lockedTemperature 37.2 °C, Polyhouse 1',
      'OK2d agoController is backTemperature 37.2 °C, Polyhouse 1',
    ]);
  });

  it('marks read what is clicked, and follows its link', async () => {
    const {
      person,
      server,
      button,
      open,
      called,
      closed,
      path: at,
    } = await bell([hot, lock], 2, {
      [`POST ${path}/n1/read`]: { status: 204 },
    });
    const panel = await open();
    server.table[`GET ${path}`] = { body: { unread: 1, items: [{ ...hot, read: true }, lock] } };
    await person.click(panel.getByRole('link', { name: /Too hot is raised/ }));
    await closed();
    await waitFor(() => expect(at()).toBe('/alerts/17-hot'));
    await waitFor(() => expect(button.textContent).toBe('1'));
    expect(called(`POST ${path}/n1/read`)).toBe(true);
  });

  it('stays open where there is no link, and asks nothing about what was read', async () => {
    const { person, server, button, open, called } = await bell([lock, { ...well, link: null }], 1, {
      [`POST ${path}/n2/read`]: { status: 204 },
    });
    const panel = await open();
    server.table[`GET ${path}`] = { body: { unread: 0, items: [{ ...lock, read: true }] } };
    await person.click(panel.getByRole('button', { name: /Controller is back/ }));
    await person.click(panel.getByRole('button', { name: /Fan 1 is locked/ }));
    await waitFor(() => expect(button.textContent).toBe(''));
    expect(screen.getByRole('dialog')).toBeDefined();
    expect([called(`POST ${path}/n2/read`), called(`POST ${path}/n3/read`)]).toEqual([true, false]);
  });

  it('marks all as read, and not when none is unread', async () => {
    const { person, server, button, open, called, closed } = await bell([hot, lock], 2, {
      [`POST ${path}/read-all`]: { status: 204 },
    });
    const panel = await open();
    const markAll = panel.getByRole<HTMLButtonElement>('button', { name: 'Mark all as read' });
    expect(markAll.disabled).toBe(false);
    server.table[`GET ${path}`] = { body: { unread: 0, items: [{ ...hot, read: true }] } };
    await person.click(markAll);
    await waitFor(() => expect(button.textContent).toBe(''));
    expect(called(`POST ${path}/read-all`)).toBe(true);
    expect(markAll.disabled).toBe(true);
    expect(panel.queryByText('New')).toBeNull();
    // The focus is not lost with the button.
    await person.keyboard('{Escape}');
    await closed();
    await waitFor(() => expect(document.activeElement).toBe(button));
  });

  it('is emptied and closed by Clear all, which asks first', async () => {
    const { person, server, button, open, called, closed } = await bell([hot], 1, {
      [`DELETE ${path}`]: { status: 204 },
    });
    const panel = await open();
    const confirm = vi.spyOn(window, 'confirm').mockReturnValueOnce(false);
    await person.click(panel.getByRole('button', { name: 'Clear all' }));
    expect(called(`DELETE ${path}`)).toBe(false);
    confirm.mockReturnValueOnce(true);
    server.table[`GET ${path}`] = { body: { unread: 0, items: [] } };
    await person.click(panel.getByRole('button', { name: 'Clear all' }));
    expect(confirm).toHaveBeenLastCalledWith(expect.stringMatching(/^Do you want to clear all/));
    await closed();
    expect(button.textContent).toBe('');
    expect(called(`DELETE ${path}`)).toBe(true);
    const again = await open();
    expect(again.getByText('No notifications')).toBeDefined();
    expect(again.queryByRole('button', { name: 'Clear all' })).toBeNull();
  });

  it('shows again what the server did not mark, and says why', async () => {
    const { person, button, open } = await bell([hot], 1, {
      [`POST ${path}/read-all`]: { status: 503, body: { error: 'The server is busy.', code: 'busy' } },
    });
    const panel = await open();
    await person.click(panel.getByRole('button', { name: 'Mark all as read' }));
    await panel.findByText('The server is busy.');
    await waitFor(() => expect(button.textContent).toBe('1'));
  });

  it('says when nothing could be loaded, and tries again', async () => {
    const { person, server, open } = await bell([], 0, { [`GET ${path}`]: { status: 500, body: {} } });
    const panel = await open();
    await panel.findByText('Failed to fetch notifications');
    server.table[`GET ${path}`] = { body: { unread: 1, items: [hot] } };
    await person.click(panel.getByRole('button', { name: 'Try again' }));
    await panel.findByText('Too hot is raised');
  });

  it('asks for its texts again in another language', async () => {
    const { person, server, open } = await bell([hot], 1);
    server.table[`GET ${path}`] = { body: { unread: 1, items: [{ ...hot, title: 'बहुत गरमी' }] } };
    await person.click(screen.getByRole('button', { name: /Switch language to हिन्दी/ }));
    await person.click(await screen.findByRole('button', { name: /^सूचनाएँ/ }));
    await screen.findByText('बहुत गरमी');
    await person.keyboard('{Escape}');
    await person.click(screen.getByRole('button', { name: /मराठी/ }));
    await person.click(await screen.findByRole('button', { name: /English/ }));
    expect(open).toBeDefined();
  });
});
