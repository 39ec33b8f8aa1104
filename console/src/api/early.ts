// What the page asked the server before the client was there (src/early.ts): put into the cache, or handed out once, to the call
// that asks the same.
import type { QueryClient } from '@tanstack/react-query';
import { farmKey, keys } from './keys';
import { currentSession } from './session';

/** An answer that is older may no longer be what a page shows as now. */
const GOOD_FOR_MS = 10_000;

/** The answer to a call that is under way already, if there is one. */
export function askedEarly(request: Request): Promise<Response> | undefined {
  const asked = window.harit?.asked;
  if (!asked || request.method !== 'GET') return undefined;
  const { pathname, search } = new URL(request.url);
  const early = asked.get(pathname + search);
  if (!early) return undefined;
  asked.delete(pathname + search);
  const isSame =
    request.headers.get('Authorization') === `Bearer ${early.token}` &&
    request.headers.get('Accept-Language') === early.language;
  return isSame && isGood(early) ? early.answer : undefined;
}

const isGood = ({ at }: { at: number }) => Date.now() - at < GOOD_FOR_MS;

/** Puts the answers into the cache as they come, unless a call has got them: the page is then drawn with its values at once. */
export function keepEarly(cache: QueryClient): void {
  const { asked, allAsked } = window.harit ?? {};
  if (!asked) return;
  const kept = new Set<object>();
  const keepAll = () => {
    for (const [path, question] of asked) {
      if (kept.has(question)) continue;
      kept.add(question);
      const keep = async (answer: Response) => {
        if (!answer.ok) return;
        const data: unknown = await answer.clone().json();
        const session = currentSession();
        const isSame =
          session.state === 'authenticated' &&
          session.token === question.token &&
          document.documentElement.lang === question.language;
        if (asked.get(path) !== question || !isSame || !isGood(question)) return;
        asked.delete(path);
        cache.setQueryData(keyOf(path), data, { updatedAt: question.at });
      };
      question.answer.then(keep).catch(() => undefined);
    }
  };
  keepAll();
  void allAsked?.then(keepAll);
}

/** Under what name the cache has the answer of an address: those of a farm's parts are called as they are there, but for stops. */
function keyOf(path: string): readonly string[] {
  const [farmId, part] = path.split('/').slice(3);
  if (!(farmId && part)) return keys.farms;
  return part === 'stop' ? keys.stops(farmId) : [...farmKey(farmId), part];
}
