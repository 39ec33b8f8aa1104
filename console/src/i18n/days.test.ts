import { describe, expect, it } from 'vitest';
import { firstInstant, nextDay } from './days';

it.each([
  ['2026-11-21', '2026-11-22'],
  ['2026-12-31', '2027-01-01'],
  ['2028-02-28', '2028-02-29'],
  ['2026-02-28', '2026-03-01'],
])('after %s comes %s', (day, next) => {
  expect(nextDay(day)).toBe(next);
});

describe('a day begins', () => {
  it.each([
    ['2026-11-21', 'Asia/Kolkata', '2026-11-20T18:30:00Z'],
    ['2026-11-21', 'UTC', '2026-11-21T00:00:00Z'],
    ['2026-11-21', 'Asia/Kathmandu', '2026-11-20T18:15:00Z'],
    ['2026-11-21', 'America/New_York', '2026-11-21T05:00:00Z'],
    ['2026-11-21', 'Pacific/Kiritimati', '2026-11-20T10:00:00Z'],
    ['2026-11-21', 'Pacific/Pago_Pago', '2026-11-21T11:00:00Z'],
    // Clocks are put forward at midnight: the day begins at 1 o'clock.
    ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00Z'],
    // Clocks are put back at 1 o'clock to midnight, which comes twice: the first one counts.
    ['2026-11-01', 'America/Havana', '2026-11-01T04:00:00Z'],
    // Clocks are put back at midnight to 23 o'clock of the day before.
    ['2018-02-18', 'America/Sao_Paulo', '2018-02-18T03:00:00Z'],
  ])('%s in %s', (day, timeZone, instant) => {
    expect(new Date(firstInstant(day, timeZone)).toISOString()).toBe(instant.replace('Z', '.000Z'));
  });

  it('in the default time zone where the browser does not know the farm’s', () => {
    expect(firstInstant('2026-11-21', 'Mars/Olympus')).toBe(Date.parse('2026-11-20T18:30:00Z'));
  });
});
