// When it was night over the farm: from sunset to sunrise, day by day.
import type { components } from '../../api/schema';
import type { Window } from './window';

type SunDay = components['schemas']['SunDay'];

/** The nights of a time, of days in order; the first and the last reach to the ends of what is known. */
export function nightsOf(days: readonly SunDay[], { from, to }: Window): Window[] {
  const nights: Window[] = [];
  const first = days[0];
  // Before the first sunrise it is night, unless the sun sets first or is up all day.
  let fell: number | undefined =
    first && first.allDay !== 'polar_day' && !setsFirst(first) ? from : undefined;
  for (const { sunrise, sunset, allDay } of days) {
    if (allDay === 'polar_day') fell = undefined;
    const events = [
      ...(sunrise === null ? [] : [{ at: sunrise, rises: true }]),
      ...(sunset === null ? [] : [{ at: sunset, rises: false }]),
    ].sort((a, b) => a.at - b.at);
    for (const { at, rises } of events) {
      if (!rises) fell = at;
      else if (fell !== undefined) {
        nights.push({ from: fell, to: at });
        fell = undefined;
      }
    }
  }
  if (fell !== undefined) nights.push({ from: fell, to });
  return nights.filter((night) => night.from < to && night.to > from);
}

function setsFirst({ sunrise, sunset }: SunDay): boolean {
  return sunset !== null && (sunrise === null || sunset < sunrise);
}
