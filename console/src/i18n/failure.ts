// What a person reads when a call failed.
import type { TFunction } from 'i18next';

/** The parts of a failed call that decide its words (api/errors.ts makes them). */
interface Failure {
  kind: 'network' | 'refused';
  serverText?: string | undefined;
}

/** Spec 8: the server's text when present, else the fallback; no answer at all is a network error. */
export function failureText(t: TFunction, error: unknown, fallback: string): string {
  const failure = error as Partial<Failure> | null;
  if (failure?.kind === 'network') return t('error.network');
  return failure?.serverText ?? fallback;
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
