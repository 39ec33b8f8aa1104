import { describe, expect, it } from 'vitest';
import { formatters, initial } from './format';

const noon = new Date('2026-11-21T06:30:00Z');

describe('en-IN', () => {
  const format = formatters('en');
  it('writes rupees in lakhs and without paise', () => {
    expect(format.rupees(123_456_740)).toBe('₹12,34,567');
    expect(format.rupees(-25_050)).toBe('-₹251');
    expect(format.rupees(-50)).toBe('-₹1');
    expect(format.rupees(-20)).toBe('₹0');
  });
  it('writes paise where there are any', () => {
    expect([5_000, 5_005, -29].map(format.paise)).toEqual(['₹50', '₹50.05', '-₹0.29']);
  });
  it('writes a date in its long form, in the time of the farm', () => {
    expect(format.longDate(noon)).toBe('Saturday, 21 November 2026');
    expect(format.longDate(new Date('2026-11-21T18:45:00Z'))).toBe('Sunday, 22 November 2026');
    expect(formatters('en', 'UTC').longDate(new Date('2026-11-21T18:45:00Z'))).toBe(
      'Saturday, 21 November 2026',
    );
  });
  it('writes times of day', () => {
    expect(format.time(noon).replaceAll('\u202f', ' ')).toBe('12:00:00 pm');
  });
  it('writes readings', () => {
    expect(format.reading(6.426)).toBe('6.43');
    expect(format.reading(6)).toBe('6');
    expect(format.steadyReading(6)).toBe('6.00');
    expect(format.percent(57.6)).toBe('58%');
    expect(format.count(123456)).toBe('1,23,456');
  });
});

describe('calendar days', () => {
  const format = formatters('en');
  it('are written as a day and a short month, whatever the time zone', () => {
    expect(format.dayOfMonth('2026-11-03')).toBe('3 Nov');
    expect(formatters('hi').dayOfMonth('2026-11-03')).toBe('3 नव॰');
    expect(formatters('mr', 'America/New_York').dayOfMonth('2026-11-03')).toBe('३ नोव्हें');
  });
  it('are those of the farm', () => {
    expect(format.isoDay(new Date('2026-11-21T18:45:00Z'))).toBe('2026-11-22');
    expect(formatters('en', 'UTC').isoDay(new Date('2026-11-21T18:45:00Z'))).toBe('2026-11-21');
  });
  it.each([
    ['Asia/Kolkata', '2026-11-21', '2026-11-20T18:30:00.000Z'],
    ['UTC', '2026-11-21', '2026-11-21T00:00:00.000Z'],
    // The day on which the clocks go forward at 2.
    ['America/New_York', '2026-03-08', '2026-03-08T05:00:00.000Z'],
    ['America/New_York', '2026-03-09', '2026-03-09T04:00:00.000Z'],
  ])('begin in %s', (zone, day, instant) => {
    expect(new Date(formatters('en', zone).dayStart(day)).toISOString()).toBe(instant);
  });
});

it('writes Hindi with Latin digits', () => {
  const format = formatters('hi');
  expect(format.longDate(noon)).toBe('शनिवार, 21 नवंबर 2026');
  expect(format.rupees(123_456_700)).toBe('₹12,34,567');
});

it('writes Marathi with Devanagari digits, and counts in lakhs', () => {
  const format = formatters('mr');
  expect(format.rupees(123_456_700)).toBe('₹१२,३४,५६७');
  expect(format.steadyReading(6.5)).toBe('६.५०');
});

it('writes the digits that were chosen', () => {
  expect(formatters('mr', undefined, 'latin').rupees(123_456_700)).toBe('₹12,34,567');
  expect(formatters('mr', undefined, 'latin').clock(noon)).toBe('दुपारी 12:00');
  expect(formatters('hi', undefined, 'devanagari').tenth(31.6)).toBe('३१.६');
  expect(formatters('hi', undefined, 'devanagari').isoDay(noon)).toBe('2026-11-21');
  expect(formatters('en', undefined, 'devanagari').tenth(31.6)).toBe('31.6');
});

it('says the part of the day as people do', () => {
  const at = (time: string) => new Date(`2026-11-21T${time}:00+05:30`);
  const hi = formatters('hi');
  expect(hi.clock(at('08:03'))).toBe('सुबह 8:03');
  expect(hi.clock(at('12:03'))).toBe('दोपहर 12:03');
  expect(hi.dateTime(at('22:33'))).toBe('21 नव॰ 2026, रात 10:33');
  const mr = formatters('mr');
  expect(mr.clock(at('05:03'))).toBe('पहाटे ५:०३');
  expect(mr.clock(at('08:03'))).toBe('सकाळी ८:०३');
  expect(mr.hour(at('12:00'))).toBe('दुपारी १२');
  expect(mr.dayTime(at('18:10'))).toBe('२१ नोव्हें, संध्याकाळी ६:१०');
  expect(mr.exactTime(at('22:33'))).toBe('२१ नोव्हें, २०२६, रात्री १०:३३:००');
  expect(formatters('en').exactTime(at('22:33')).replaceAll('\u202f', ' ')).toBe('21 Nov 2026, 10:33:00 pm');
});

it('falls back to Indian time for a zone that the browser does not know', () => {
  expect(formatters('en', 'Mars/Olympus').longDate(noon)).toBe('Saturday, 21 November 2026');
});

it('keeps a syllable whole', () => {
  expect(initial('किरण पाटील')).toBe('कि');
  expect(initial('asha')).toBe('A');
  expect(initial('')).toBe('');
});
