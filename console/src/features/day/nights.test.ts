import { describe, expect, it } from 'vitest';
import { nightsOf } from './nights';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const sunDay = (day: number, rise: number | null, set: number | null) => ({
  day: `2026-11-${day}`,
  sunrise: rise === null ? null : day * DAY + rise * HOUR,
  sunset: set === null ? null : day * DAY + set * HOUR,
  allDay: null,
});

describe('nights', () => {
  it('lie between a sunset and the next sunrise, and reach to the ends of what is shown', () => {
    const days = [sunDay(10, 6, 18), sunDay(11, 6, 18)];
    expect(nightsOf(days, { from: 10 * DAY, to: 12 * DAY })).toEqual([
      { from: 10 * DAY, to: 10 * DAY + 6 * HOUR },
      { from: 10 * DAY + 18 * HOUR, to: 11 * DAY + 6 * HOUR },
      { from: 11 * DAY + 18 * HOUR, to: 12 * DAY },
    ]);
  });

  it('are not before noon where what is shown begins at noon', () => {
    const nights = nightsOf([sunDay(10, 6, 18)], { from: 10.5 * DAY, to: 11 * DAY });
    expect(nights).toEqual([{ from: 10 * DAY + 18 * HOUR, to: 11 * DAY }]);
  });

  it('are none where the sun does not set, and one where it does not rise', () => {
    const window = { from: 10 * DAY, to: 11 * DAY };
    const all = (allDay: 'polar_day' | 'polar_night') => [{ ...sunDay(10, null, null), allDay }];
    expect(nightsOf(all('polar_day'), window)).toEqual([]);
    expect(nightsOf(all('polar_night'), window)).toEqual([window]);
    expect(nightsOf([], window)).toEqual([]);
  });

  it('begin with the first sunset after the midnight sun', () => {
    const days = [{ ...sunDay(10, null, null), allDay: 'polar_day' as const }, sunDay(11, 1, 23)];
    // On the first day with a night the sun was up at midnight: it sets before it rises.
    const first = { ...sunDay(11, 1, 0.5) };
    const window = { from: 10 * DAY, to: 12 * DAY };
    expect(nightsOf([days[0] as never, first], window)).toEqual([
      { from: 11 * DAY + 0.5 * HOUR, to: 11 * DAY + HOUR },
    ]);
  });
});
