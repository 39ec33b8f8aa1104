// What can go wrong with a call, as a value that a screen can turn into words.

/** Why a call failed. `network`: no usable answer came. `refused`: the server answered with an error. */
export type FailureKind = 'network' | 'refused';

/** A field that the server would not take: `assets[0].macid`. */
export interface FieldProblem {
  path: string;
  code: string;
  message: string;
}

/** Somebody changed what a call was to change: who and when, as far as known, and what it is now. */
export interface Changed {
  by: string | null;
  at: number | null;
  current: object;
}

/** A call that failed. `serverText` is what the server wants people to read, if it said anything. */
export class ApiError extends Error {
  readonly kind: FailureKind;
  readonly status: number;
  readonly serverText: string | undefined;
  readonly code: string | undefined;
  readonly problems: readonly FieldProblem[];
  readonly changed: Changed | undefined;

  constructor(
    kind: FailureKind,
    status: number,
    serverText?: string,
    code?: string,
    problems: readonly FieldProblem[] = [],
    changed?: Changed,
  ) {
    super(serverText ?? `${kind} ${status}`);
    this.name = 'ApiError';
    this.kind = kind;
    this.status = status;
    this.serverText = serverText;
    this.code = code;
    this.problems = problems;
    this.changed = changed;
  }
}

/** The server does not have this call (yet): its own words would be about routing, not about the person's wish. */
export function isNotServed(error: ApiError): boolean {
  return error.status === 404 || error.status === 405 || error.status === 501;
}

/** What the server says about one field, if it says anything. */
export function problemAt(error: unknown, path: string): string | undefined {
  return error instanceof ApiError
    ? error.problems.find((problem) => problem.path === path)?.message
    : undefined;
}

/** Reads `{"error": text, "code": word, "problems": [...]}` (or `message` for the text); anything else counts as silence. */
export function refusal(status: number, body: unknown): ApiError {
  const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const text = [fields['error'], fields['message']].find(
    (said): said is string => typeof said === 'string' && said !== '',
  );
  const code = typeof fields['code'] === 'string' ? fields['code'] : undefined;
  const listed: unknown[] = Array.isArray(fields['problems']) ? fields['problems'] : [];
  return new ApiError('refused', status, text, code, listed.filter(isProblem), changedOf(code, fields));
}

function changedOf(code: string | undefined, fields: Record<string, unknown>): Changed | undefined {
  const { changedBy: by, changedAt: at, current } = fields;
  if (code !== 'changed_meanwhile' || typeof current !== 'object' || current === null) return undefined;
  return { by: typeof by === 'string' ? by : null, at: typeof at === 'number' ? at : null, current };
}

function isProblem(item: unknown): item is FieldProblem {
  if (typeof item !== 'object' || item === null) return false;
  const { path, message } = item as Record<string, unknown>;
  return typeof path === 'string' && typeof message === 'string';
}
