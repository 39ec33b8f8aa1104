import { screen, waitFor } from '@testing-library/react';
import type { RouteObject } from 'react-router';
import { expect, it } from 'vitest';
import { pageAt } from '../pages';
import { owner, serve, showConsole } from '../test-console';
import { routes } from './router';

function paths(all: readonly RouteObject[]): string[] {
  return all.flatMap(({ path, children }) => [...(path ? [path] : []), ...paths(children ?? [])]);
}

it('every page has a title', () => {
  const known = paths(routes).filter((path) => path !== '*');
  expect(known.length).toBeGreaterThan(30);
  expect(known.filter((path) => pageAt(path) === undefined)).toEqual([]);
});

it('the tab is named after the page, in the language being shown', async () => {
  serve();
  const { router, person } = showConsole('/inventory', owner);
  await waitFor(() => expect(document.title).toBe('Inventory · Harit'));
  await router.navigate('/templates/');
  await waitFor(() => expect(document.title).toBe('Templates · Harit'));
  await person.click(await screen.findByRole('button', { name: /Switch language to हिन्दी/ }));
  await waitFor(() => expect(document.title).toBe('टेम्पलेट · हरित'));
  await person.click(await screen.findByRole('button', { name: /मराठी/ }));
  await person.click(await screen.findByRole('button', { name: /English/ }));
  await waitFor(() => expect(document.title).toBe('Templates · Harit'));
});
