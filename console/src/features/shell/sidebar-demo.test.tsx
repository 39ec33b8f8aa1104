import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { serve, showConsole } from '../../test-console';

async function page() {
  serve();
  const view = showConsole('/sidebar-demo');
  await screen.findByRole('heading', { level: 1, name: 'Menu demo' });
  const menu = within(screen.getByRole('navigation'));
  const item = () => screen.getByTestId('menu-item').textContent;
  return { ...view, menu, item };
}

describe('/sidebar-demo', () => {
  it('shows which item a path belongs to, and opens nothing', async () => {
    const { person, menu, item, path } = await page();
    expect(item()).toBe('dashboard');
    await person.click(screen.getByRole('button', { name: '/sales/orders' }));
    expect(item()).toBe('sales');
    expect(menu.getByRole('button', { name: 'Sales' }).getAttribute('data-active')).toBe('true');
    expect(menu.getByRole('link', { name: 'Orders' }).getAttribute('aria-current')).toBe('page');
    await person.click(menu.getByRole('link', { name: 'Users' }));
    expect(item()).toBe('users');
    expect(menu.getByRole('link', { name: 'Users' }).getAttribute('aria-current')).toBe('page');
    expect(path()).toBe('/sidebar-demo');
  });

  it('opens one submenu at a time when told so', async () => {
    const { person, menu } = await page();
    const open = (name: string) => menu.getByRole('button', { name }).getAttribute('aria-expanded');
    await person.click(menu.getByRole('button', { name: 'Automation' }));
    expect([open('Farms'), open('Automation')]).toEqual(['true', 'true']);
    await person.click(screen.getByRole('button', { name: 'One submenu open at a time' }));
    await person.click(menu.getByRole('button', { name: 'Sales' }));
    expect([open('Farms'), open('Automation'), open('Sales')]).toEqual(['false', 'false', 'true']);
  });

  it('has a reduced menu and a collapsed one', async () => {
    const { person, menu } = await page();
    await person.click(screen.getByRole('button', { name: 'Minimal menu' }));
    const names = () => menu.getAllByRole('link').map((link) => link.textContent);
    expect(names()).toEqual(['Dashboard', 'Inventory', 'Users']);
    await person.click(screen.getByRole('button', { name: 'Collapsed' }));
    // It is drawn once its code has come.
    expect((await menu.findByRole('link', { name: 'Users' })).textContent).toBe('');
  });
});
