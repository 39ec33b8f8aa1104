// What a person reads when a call failed.
import type { TFunction } from 'i18next';

/** The parts of a failed call that decide its words (api/errors.ts makes them). */
interface Failure {
  kind: 'network' | 'refused';
  serverText?: string | undefined;
  code?: string | undefined;
  problems: readonly { message: string }[];
}

/** As many names as a line has room for. */
const MAX_NAMES = 6;

/** What goes by something that is not removed for that reason, each as the server names it. */
export function usesOf(error: unknown): string[] {
  const { code, problems = [] } = (error ?? {}) as Partial<Failure>;
  if (code !== 'in_use') return [];
  const names = problems.map(({ message }) => message);
  const more = names.length - MAX_NAMES;
  return more > 0 ? [...names.slice(0, MAX_NAMES), `+${more}`] : names;
}

/**
 * Spec 8: the server's text when present, else the fallback; no answer at all is a network error. What is not removed because
 * something goes by it says what that is.
 */
export function failureText(t: TFunction, error: unknown, fallback: string): string {
  const failure = error as Partial<Failure> | null;
  if (failure?.kind === 'network') return t('error.network');
  return [failure?.serverText ?? fallback, ...usesOf(error)].join(' · ');
}

/** A question to the server that failed, as the query library tells it. */
interface FailedLoad {
  error: unknown;
  isFetching: boolean;
  refetch: () => unknown;
}

/** What a banner says of something that could not be loaded, and that it can be asked for again. */
export function failedLoad(t: TFunction, query: FailedLoad, fallback: string) {
  return {
    tone: 'warn' as const,
    text: failureText(t, query.error, fallback),
    action: { label: t('app.retry'), run: () => void query.refetch(), busy: query.isFetching },
  };
}

/** What failed of several questions, as one that is asked again as a whole. */
export function failedOf(queries: readonly (FailedLoad & { isError: boolean })[]): FailedLoad | undefined {
  const failed = queries.filter(({ isError }) => isError);
  return (
    failed[0] && {
      error: failed[0].error,
      isFetching: failed.some(({ isFetching }) => isFetching),
      refetch: () => {
        for (const { refetch } of failed) refetch();
      },
    }
  );
}

/** The same banner where a page loads several things, so that it must be said which of them failed. */
export function failedPart(t: TFunction, query: FailedLoad, which: string) {
  return { ...failedLoad(t, query, which), text: `${which} ${failureText(t, query.error, '')}`.trim() };
}
