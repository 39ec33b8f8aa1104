import { describe, expect, it } from 'vitest';
import { type LogPlace, newerQuestion, question, readPlace, withFilter, writePlace } from './filters';

const read = (text: string) => readPlace(new URLSearchParams(text));
const KOLKATA = 'Asia/Kolkata';
const at = (text: string) => Date.parse(text);

describe('the URL', () => {
  it.each<[string, LogPlace]>([
    ['', { filters: {}, page: 1 }],
    ['type=rule_trigger&result=failure', { filters: { type: 'rule_trigger', result: 'failure' }, page: 1 }],
    [
      'device=Fan+1&user=asha&start=2026-11-01&end=2026-11-30',
      { filters: { device: 'Fan 1', user: 'asha', start: '2026-11-01', end: '2026-11-30' }, page: 1 },
    ],
    ['page=3&asOf=1795000000000', { filters: {}, page: 3, asOf: 1_795_000_000_000 }],
    ['device=%E0%A4%AA%E0%A4%82%E0%A4%96%E0%A4%BE', { filters: { device: 'पंखा' }, page: 1 }],
  ])('%s is read and written', (text, place) => {
    expect(read(text)).toEqual(place);
    expect(writePlace(place).toString()).toBe(text);
  });

  it.each([
    'type=everything',
    'result=maybe',
    'device=+++',
    'start=yesterday',
    'start=2026-02-30',
    'end=2026-13-01',
    'page=0',
    'page=-3',
    'page=1.5',
    'page=1e9',
    'page=one',
    // Page 1 is always the newest.
    'asOf=1795000000000',
    'page=1&asOf=1795000000000',
    'somethingElse=7',
  ])('%s says nothing', (text) => {
    expect(read(text)).toEqual({ filters: {}, page: 1 });
  });

  it('takes no longer text than the server', () => {
    expect(read(`device=${'x'.repeat(500)}`).filters.device).toHaveLength(100);
  });
});

it('changes one filter and leaves the others', () => {
  const filters = { type: 'other', device: 'Fan' } as const;
  expect(withFilter(filters, 'device', '')).toEqual({ type: 'other' });
  expect(withFilter(filters, 'user', 'Asha')).toEqual({ ...filters, user: 'Asha' });
  expect(withFilter(filters, 'type', '')).toEqual({ device: 'Fan' });
});

describe('the question to the server', () => {
  const ask = (text: string, zone = KOLKATA) => question(read(text), zone);

  it('is for the newest twenty', () => {
    expect(ask('')).toEqual({ page: 1, pageSize: 20 });
  });

  it('means whole days of the farm, both included', () => {
    expect(ask('start=2026-11-21&end=2026-11-21')).toEqual({
      from: at('2026-11-20T18:30:00Z'),
      to: at('2026-11-21T18:30:00Z') - 1,
      page: 1,
      pageSize: 20,
    });
    expect(ask('end=2026-11-21', 'America/New_York').to).toBe(at('2026-11-22T05:00:00Z') - 1);
  });

  it('counts no newer entries on later pages', () => {
    const asOf = at('2026-11-21T10:00:00Z');
    expect(ask(`page=3&asOf=${asOf}`)).toEqual({ to: asOf, page: 3, pageSize: 20 });
    expect(ask(`end=2026-11-20&page=3&asOf=${asOf}`).to).toBe(at('2026-11-20T18:30:00Z') - 1);
    expect(ask(`end=2026-11-30&page=3&asOf=${asOf}`).to).toBe(asOf);
  });

  it('looks for text without the spaces around it', () => {
    expect(ask('device=+Fan+1+&user=+asha')).toMatchObject({ device: 'Fan 1', user: 'asha' });
  });
});

describe('the question how much is newer', () => {
  const asOf = at('2026-11-21T10:00:00Z');
  const ask = (text: string) => newerQuestion(read(text), KOLKATA);

  it('is not asked on the first page', () => {
    expect(ask('type=other')).toBeUndefined();
  });

  it('begins after what is being read, with the same filters', () => {
    expect(ask(`type=other&page=2&asOf=${asOf}`)).toEqual({
      type: 'other',
      from: asOf + 1,
      page: 1,
      pageSize: 1,
    });
  });

  it('is not asked where the end date lets nothing new through', () => {
    expect(ask(`end=2026-11-20&page=2&asOf=${asOf}`)).toBeUndefined();
    expect(ask(`end=2026-11-21&page=2&asOf=${asOf}`)?.to).toBe(at('2026-11-21T18:30:00Z') - 1);
  });
});
