import { RequestError } from '../client/request-error.ts';

/** One sentence for a person, whatever was thrown. */
export function explain(error: unknown): string {
  if (error instanceof RequestError) {
    // What a server says about bad input needs no word on how it travelled.
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
