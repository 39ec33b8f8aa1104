import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { farm, farmAs, owner, serve, showConsole } from '../../test-console';

async function shell(path = '/templates', answers = {}) {
  const server = serve(answers);
  const view = showConsole(path, owner);
  const nav = within(await screen.findByRole('navigation', { name: 'Main navigation' }));
  return { ...view, server, nav };
}

describe('the navigation', () => {
  it('has Farms open and the other groups closed', async () => {
    const { nav } = await shell();
    const open = (name: string) => nav.getByRole('button', { name }).getAttribute('aria-expanded');
    expect([open('Farms'), open('Automation')]).toEqual(['true', 'false']);
    expect(nav.getByRole('link', { name: 'Reservoirs' }).getAttribute('href')).toBe('/reservoirs');
    expect(nav.queryByRole('link', { name: 'Rules' })).toBeNull();
  });

  it.each(['{Enter}', ' ', 'click'])('opens and closes a submenu by %s', async (key) => {
    const { nav, person } = await shell();
    const group = nav.getByRole('button', { name: 'Automation' });
    const press = async () => {
      if (key === 'click') return person.click(group);
      group.focus();
      return person.keyboard(key);
    };
    await press();
    expect(nav.getByRole('link', { name: 'Manual Control' })).toBeDefined();
    await press();
    expect(nav.queryByRole('link', { name: 'Manual Control' })).toBeNull();
  });

  it('opens the group of the page and marks it', async () => {
    const { nav } = await shell('/automation/logs');
    expect(nav.getByRole('link', { name: 'Logs' }).getAttribute('aria-current')).toBe('page');
    expect(nav.getAllByRole('link', { current: 'page' })).toHaveLength(1);
  });

  it('shows the item of the page where the menu is longer than the screen, once', async () => {
    const scrolled: string[] = [];
    vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(function (this: Element) {
      scrolled.push(this.textContent);
    });
    const { nav, person } = await shell('/automation/logs');
    await waitFor(() => expect(scrolled).toEqual(['Logs']));
    await person.click(nav.getByRole('button', { name: 'Sales' }));
    await person.click(nav.getByRole('link', { name: 'Rules' }));
    await waitFor(() => expect(scrolled).toEqual(['Logs', 'Rules']));
    vi.restoreAllMocks();
  });

  it('has History, and marks it', async () => {
    const { nav } = await shell('/history');
    expect(nav.getByRole('link', { name: 'History' }).getAttribute('aria-current')).toBe('page');
  });

  it('does not offer to a viewer what was sold and spent', async () => {
    const seen = async (role: 'OWNER' | 'VIEWER') => {
      const { nav } = await shell('/templates', { 'GET /api/farms': { body: [farmAs(role)] } });
      await nav.findByRole('link', { name: 'Inventory' });
      const sales = nav.queryByRole('button', { name: 'Sales' }) !== null;
      cleanup();
      return sales;
    };
    expect([await seen('OWNER'), await seen('VIEWER')]).toEqual([true, false]);
  });

  it('marks Notification & Alerts on /alerts', async () => {
    const { nav } = await shell('/alerts');
    expect(nav.getByRole('link', { name: 'Notification & Alerts' }).getAttribute('data-active')).toBe('true');
  });

  it('counts what needs attention, as far as the page on screen asks for it', async () => {
    const at = '/api/farms/demo-farm-1';
    const house = (polyhouseId: string, verdict: string) => ({
      polyhouseId,
      name: polyhouseId,
      verdict,
      reasons: [],
      more: 0,
    });
    const answers = {
      [`GET ${at}/verdict`]: {
        body: {
          farm: { verdict: 'well', reasons: [], more: 0 },
          houses: [house('p1', 'well'), house('p2', 'not_known'), house('p3', 'not_set_up')],
        },
      },
      [`GET ${at}/summary`]: { body: { overdueTasks: 3 } },
      [`GET ${at}/notifications`]: { body: { unread: 0, items: [] } },
    };
    const { nav } = await shell('/dashboard', answers);
    await nav.findByRole('link', { name: 'Polyhouses 1 needs attention' });
    await nav.findByRole('link', { name: 'Tasks 3 overdue' });
    expect(nav.getByRole('link', { name: 'Notification & Alerts' })).toBeDefined();
    cleanup();
    const { nav: elsewhere, server } = await shell('/templates', answers);
    expect(elsewhere.getByRole('link', { name: 'Tasks' })).toBeDefined();
    const asked = server.calls.map(({ call }) => call);
    expect(asked.filter((call) => /verdict|summary/.test(call))).toEqual([]);
  });

  it('collapses to icons that keep their names, and remembers it', async () => {
    const { person } = await shell();
    await person.click(screen.getByRole('button', { name: 'Collapse menu' }));
    const nav = within(screen.getByRole('navigation', { name: 'Main navigation' }));
    expect((await nav.findByRole('link', { name: 'Dashboard' })).textContent).toBe('');
    await person.click(nav.getByRole('button', { name: 'Automation' }));
    expect(await screen.findByRole('menuitem', { name: 'Logs' })).toBeDefined();
    await person.keyboard('{Escape}');
    expect(localStorage.getItem('navigation-collapsed')).toBe('true');
    await person.click(screen.getByRole('button', { name: 'Expand menu' }));
    expect(nav.getByRole('link', { name: 'Dashboard' }).textContent).toBe('Dashboard');
  });
});

describe('the header', () => {
  it('switches everything to another farm', async () => {
    const other = { ...farmAs('VIEWER'), id: 'farm-2', name: 'Nandi' };
    const { person, server } = await shell('/dashboard', { 'GET /api/farms': { body: [farm, other] } });
    await person.click(await screen.findByRole('button', { name: 'Choose farm: Sahyadri Baramati' }));
    await person.click(await screen.findByRole('menuitemradio', { name: /Nandi/ }));
    await screen.findByRole('button', { name: 'Choose farm: Nandi Baramati' });
    await waitFor(() =>
      expect(server.calls.map(({ call }) => call)).toContain('GET /api/farms/farm-2/summary'),
    );
    expect(localStorage.getItem('farm')).toBe('farm-2');
    expect(screen.getByRole('button', { name: /User menu.*Asha Patil.*Viewer/ })).toBeDefined();
  });

  it('offers no choice to who has one farm', async () => {
    await shell();
    expect(await screen.findByText('Sahyadri')).toBeDefined();
    expect(screen.queryByRole('button', { name: /Choose farm/ })).toBeNull();
  });

  it('signs out here and on the server', async () => {
    const { person, server, path } = await shell();
    await person.click(await screen.findByRole('button', { name: /User menu.*Asha Patil.*Owner/ }));
    await person.click(await screen.findByRole('menuitem', { name: 'Sign Out' }));
    await waitFor(() => expect(path()).toBe('/login'));
    const told = await waitFor(() => {
      const found = server.calls.find(({ call }) => call === 'POST /auth/logout');
      expect(found).toBeDefined();
      return found;
    });
    expect(told?.headers['authorization']).toBe('Bearer secret');
    // Nothing is asked after it, which would be refused.
    expect(server.calls.at(-1)?.call).toBe('POST /auth/logout');
    expect([localStorage.getItem('token'), localStorage.getItem('user')]).toEqual([null, null]);
  });

  it.each([
    ['has not answered', 'never'],
    ['is away', 'down'],
  ] as const)('signs out here even when the server %s', async (_, reply) => {
    const { person, path } = await shell('/templates', { 'POST /auth/logout': reply });
    await person.click(await screen.findByRole('button', { name: /User menu/ }));
    await person.click(await screen.findByRole('menuitem', { name: 'Sign Out' }));
    await waitFor(() => expect(path()).toBe('/login'));
    expect(localStorage.getItem('token')).toBeNull();
  });

  it.each([
    ['FARM_MANAGER', 'Farm Manager'],
    ['SITE_AUDITOR', 'SITE AUDITOR'],
    ['', 'Farm Manager'],
  ])('names the role %s', async (role, name) => {
    await shell('/templates', { 'GET /api/farms': { body: [{ ...farm, role }] }, 'GET /auth/me': 'down' });
    await waitFor(() =>
      expect(
        screen.getByRole('button', { name: new RegExp(`User menu.*Asha Patil.*${name}`) }),
      ).toBeDefined(),
    );
  });
});
