// The farm on a screen that hangs on a wall.
import { screen, waitFor } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import type { FarmVerdict } from '../../api/verdict';
import { owner, serve, showConsole } from '../../test-console';

const verdict: FarmVerdict = {
  farm: { verdict: 'well', reasons: [], more: 0 },
  houses: [{ polyhouseId: 'p1', name: 'House 1', verdict: 'well', reasons: [], more: 0 }],
};

it('shows verdict and houses without the frame, dark and lit, until it is left', async () => {
  const release = vi.fn(async () => {});
  const request = vi.fn(async () => ({ release }));
  vi.stubGlobal('navigator', Object.assign(Object.create(navigator), { wakeLock: { request } }));
  serve({
    'GET /api/farms/demo-farm-1/verdict': { body: verdict },
    'GET /api/farms/demo-farm-1/devices': { body: [] },
  });
  const { container, person } = showConsole('/wall', owner);
  await screen.findByRole('heading', { level: 1, name: 'Sahyadri' });
  await waitFor(() => expect(container.querySelector('[data-house="p1"]')).not.toBeNull());
  expect(container.querySelector('[data-farm-verdict="well"]')).not.toBeNull();
  expect(screen.queryByRole('navigation')).toBeNull();
  const root = document.documentElement;
  expect(root.getAttribute('data-mantine-color-scheme')).toBe('dark');
  expect(request).toHaveBeenCalledWith('screen');
  await person.click(screen.getByRole('link', { name: 'Back to the dashboard' }));
  await screen.findByRole('heading', { level: 1, name: 'Dashboard' });
  expect(root.getAttribute('data-mantine-color-scheme')).not.toBe('dark');
  expect(root.style.fontSize).toBe('');
  await waitFor(() => expect(release).toHaveBeenCalled());
});
