// The evening letter of a day (`?day=`), or a week on one sheet to print (`?week=` and a day of it).
import { useSearchParams } from 'react-router';
import type { FarmPageProps } from '../../api/farms';
import { DayLetter } from './DayLetter';
import { WeekSheet } from './WeekSheet';

/** What is no day is none. */
function dayOf(text: string | null): string | null {
  return text && /^\d{4}-\d\d-\d\d$/.test(text) ? text : null;
}

export default function Letter({ farm, farmId }: FarmPageProps) {
  const [search] = useSearchParams();
  const day = dayOf(search.get('day'));
  return search.has('week') ? (
    <WeekSheet farmId={farmId} farm={farm.name} day={dayOf(search.get('week'))} />
  ) : (
    <DayLetter farmId={farmId} farm={farm.name} day={day} />
  );
}
