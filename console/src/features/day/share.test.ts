import { afterEach, expect, it, vi } from 'vitest';
import { shareFile } from './share';

const table = new File(['PAR1'], 'House.parquet', { type: 'application/vnd.apache.parquet' });

/** A phone that hands on what it may; what it was asked to hand on or to save. */
function phone(mayShare: boolean) {
  const shared: string[] = [];
  const saved: string[] = [];
  vi.stubGlobal('matchMedia', () => ({ matches: true }));
  Object.assign(navigator, {
    canShare: () => mayShare,
    share: async ({ files = [] }: ShareData) => void shared.push(...files.map(({ name }) => name)),
  });
  Object.assign(URL, { createObjectURL: () => 'blob:1', revokeObjectURL: () => {} });
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push(this.download);
  });
  return { shared, saved };
}

afterEach(() => {
  vi.restoreAllMocks();
  for (const name of ['canShare', 'share']) Reflect.deleteProperty(navigator, name);
  for (const name of ['createObjectURL', 'revokeObjectURL']) Reflect.deleteProperty(URL, name);
});

it('hands on what the browser may hand on', async () => {
  const { shared, saved } = phone(true);
  await shareFile(table);
  expect([shared, saved]).toEqual([['House.parquet'], []]);
});

it('saves what the browser refuses to hand on', async () => {
  const { shared, saved } = phone(false);
  await shareFile(table);
  expect([shared, saved]).toEqual([[], ['House.parquet']]);
});
