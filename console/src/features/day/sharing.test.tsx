import { MantineProvider } from '@mantine/core';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { parquetReadObjects } from 'hyparquet';
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
        notes={[]}
        rested={rested}
        load={load}
      />
    </MantineProvider>
  );
  const ofToday = shown(TODAY.from, 21);
  const { rerender } = render(of(today, 'done', ofToday));
  return {
    viewer,
    press: (name = 'Table (CSV)') => userEvent.click(screen.getByRole('button', { name })),
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

it('shares the same table with types, once what writes it is loaded', async () => {
  // Bytes of a text are Node's own, and not jsdom's.
  vi.stubGlobal('Uint8Array', new TextEncoder().encode().constructor);
  const { press } = sharing();
  await press('Table (Parquet)');
  await vi.waitFor(() => expect(shareFile).toHaveBeenCalledTimes(1));
  await press();
  await vi.waitFor(() => expect(shareFile).toHaveBeenCalledTimes(2));
  const [typed, csv] = shareFile.mock.calls.map(([file]) => file);
  expect(typed?.name).toBe(csv?.name.replace(/csv$/, 'parquet'));
  expect(typed?.type).toBe('application/vnd.apache.parquet');
  const rows = await parquetReadObjects({ file: (await typed?.arrayBuffer()) ?? new ArrayBuffer() });
  expect(rows).toEqual([{ Time: expect.any(String), 'Time (UTC)': new Date(TODAY.from), Temperature: 21 }]);
  expect(await csv?.text()).toContain(`${rows[0]?.['Time']}`);
  expect(screen.getByRole('button', { name: 'Table (Parquet)' }).ariaBusy).toBe('false');
});

it('shares what was asked for last', async () => {
  const { viewer, press, of, rerender, ofToday, today } = sharing();
  rerender(of(today, 'pending', ofToday));
  await press('Table (Parquet)');
  await press();
  rerender(of(viewer.get(), 'done', ofToday));
  await vi.waitFor(() => expect(shareFile).toHaveBeenCalledTimes(1));
  expect(shareFile.mock.calls[0]?.[0].type).toBe('text/csv');
});
