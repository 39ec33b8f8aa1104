// The order of the houses' cards.
import type { VerdictWord } from '../../api/verdict';
import { type VerdictLook, verdictLooks } from '../../ui/verdict';

const severity = Object.keys(verdictLooks) as VerdictLook[];

/** The houses as they are shown: the worst first, equals as the server has them. */
export function worstFirst<House extends { verdict: VerdictWord }>(houses: readonly House[]): House[] {
  return houses.toSorted((a, b) => severity.indexOf(a.verdict) - severity.indexOf(b.verdict));
}
