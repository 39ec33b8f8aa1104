// What can go wrong with a call, as a value that a screen can turn into words.

/** Why a call failed. `network`: no usable answer came. `refused`: the server answered with an error. */
export type FailureKind = 'network' | 'refused';

/** A call that failed. `serverText` is what the server wants people to read, if it said anything. */
export class ApiError extends Error {
  readonly kind: FailureKind;
  readonly status: number;
  readonly serverText: string | undefined;
  readonly code: string | undefined;

  constructor(kind: FailureKind, status: number, serverText?: string, code?: string) {
    super(serverText ?? `${kind} ${status}`);
    this.name = 'ApiError';
    this.kind = kind;
    this.status = status;
    this.serverText = serverText;
    this.code = code;
  }
}

/** The server does not have this call (yet): its own words would be about routing, not about the person's wish. */
export function isNotServed(error: ApiError): boolean {
  return error.status === 404 || error.status === 405 || error.status === 501;
}

/** Reads `{"error": text, "code": word}`; anything else counts as silence. */
export function refusal(status: number, body: unknown): ApiError {
  const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const text = typeof fields['error'] === 'string' && fields['error'] !== '' ? fields['error'] : undefined;
  const code = typeof fields['code'] === 'string' ? fields['code'] : undefined;
  return new ApiError('refused', status, text, code);
}
