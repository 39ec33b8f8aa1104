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
