import { MantineProvider } from '@mantine/core';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import type { Shown } from './Reading';
import { Sharing } from './Sharing';
import { createViewer, type View } from './view';
import { DAY } from './window';

const shareFile = vi.hoisted(() => vi.fn<(file: File) => Promise<void>>(() => Promise.resolve()));
vi.mock('./share', async (original) => ({ ...(await original<typeof import('./share')>()), shareFile }));

const TODAY = { from: Date.parse('2026-11-21T18:30:00Z'), to: Date.parse('2026-11-22T18:30:00Z') };
const YESTERDAY = { from: TODAY.from - DAY, to: TODAY.from };
const point = (at: number, mean: number) => ({ at, mean, min: mean, max: mean, count: 1 });
const shown = (at: number, mean: number): Shown[] => [
  {
    curve: {
      series: { id: 's', points: [point(at, mean)], stepMs: 300_000 },
      ghost: undefined,
      scale: 'temperature',
    },
    type: 'temperature',
    text: 'Temperature',
  },
];

function sharing() {
  shareFile.mockClear();
  const viewer = createViewer({ window: TODAY, at: TODAY.from });
  const today = viewer.get();
  const of = (rested: View, load: 'pending' | 'done' | 'failed', series: Shown[]) => (
    <MantineProvider>
      <Sharing
        viewer={viewer}
        house="House"
        shown={series}
        strips={[]}
        targets={[]}
        limits={[]}
        courses={[]}
        nights={[]}
        rested={rested}
        load={load}
      />
    </MantineProvider>
  );
  const ofToday = shown(TODAY.from, 21);
  const { rerender } = render(of(today, 'done', ofToday));
  return {
    viewer,
    press: () => userEvent.click(screen.getByRole('button', { name: 'Table (CSV)' })),
    of,
    rerender,
    today,
    ofToday,
  };
}

it('shares the day that was asked for, once it is loaded', async () => {
  const { viewer, press, of, rerender, ofToday } = sharing();
  viewer.set({ window: YESTERDAY, at: YESTERDAY.from });
  // The view has not come to rest, and what is loaded is another day's.
  await press();
  expect(shareFile).not.toHaveBeenCalled();
  rerender(of(viewer.get(), 'pending', ofToday));
  expect(shareFile).not.toHaveBeenCalled();
  expect(screen.getByRole('button', { name: 'Table (CSV)' }).ariaBusy).toBe('true');
  rerender(of(viewer.get(), 'done', shown(YESTERDAY.from, 19.5)));
  await vi.waitFor(() => expect(shareFile).toHaveBeenCalledTimes(1));
  const [file] = shareFile.mock.calls[0] ?? [];
  expect(await file?.text()).toMatch(/2026-11-20T18:30:00.000Z,19.5/);
  rerender(of(viewer.get(), 'done', shown(YESTERDAY.from, 19.5)));
  expect(shareFile).toHaveBeenCalledTimes(1);
});

it('forgets what was asked for when it cannot be loaded', async () => {
  const { viewer, press, of, rerender, ofToday } = sharing();
  viewer.set({ window: YESTERDAY, at: YESTERDAY.from });
  await press();
  rerender(of(viewer.get(), 'failed', ofToday));
  rerender(of(viewer.get(), 'done', ofToday));
  expect(shareFile).not.toHaveBeenCalled();
  await press();
  await vi.waitFor(() => expect(shareFile).toHaveBeenCalledTimes(1));
});
