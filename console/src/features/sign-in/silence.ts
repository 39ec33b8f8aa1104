// A server without a call answers 404, 405 or 501 with words about routing. People then read the call's own error text.
import { ApiError, isNotServed } from '../../api/errors';

export async function silenceRouting<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ApiError && isNotServed(error)) throw new ApiError(error.kind, error.status);
    throw error;
  }
}
