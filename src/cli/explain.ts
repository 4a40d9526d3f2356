import { RequestError } from '../client/request-error.ts';

/** Turns anything that was thrown into one readable sentence. */
export function explain(error: unknown): string {
  if (error instanceof RequestError) {
    // For bad input the server's message is enough, without status and path.
    if (error.status !== undefined && error.status < 500 && typeof error.detail === 'string') {
      return error.detail;
    }
    if (error.status === 422 && Array.isArray(error.detail)) {
      return error.detail
        .map(({ loc, msg }) => `${loc.slice(1).join('.') || loc.join('.')}: ${msg}`)
        .join('; ');
    }
  }
  return error instanceof Error ? error.message : String(error);
}
