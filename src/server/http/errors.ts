import type { z } from 'zod';
import type { ValidationIssue } from '../../contract/errors.ts';

/** An answer that is not a success: a status and a sentence, or the list of failed checks for 422. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly detail: string | ValidationIssue[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    detail: string | ValidationIssue[],
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(
      typeof detail === 'string'
        ? detail
        : detail.map((issue) => `${issue.loc.join('.')}: ${issue.msg}`).join('; '),
    );
    this.status = status;
    this.detail = detail;
    this.headers = headers;
  }
}

export const badRequest = (detail: string) => new HttpError(400, detail);
export const forbidden = (detail: string) => new HttpError(403, detail);
export const notFound = (what: string, id: string) => new HttpError(404, `${what} '${id}' not found.`);
export const conflict = (detail: string) => new HttpError(409, detail);

/** A 422 for one field, for checks a schema cannot make. */
export function invalid(loc: (string | number)[], msg: string, type = 'value_error'): HttpError {
  return new HttpError(422, [{ loc, msg, type }]);
}

/** Zod's issues in the specification's form, each located under where the value came from. */
export function validationIssues(error: z.ZodError, source: 'body' | 'query' | 'path'): ValidationIssue[] {
  return error.issues.map((issue) => ({
    loc: [source, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))],
    msg: issue.message,
    type: issue.code === 'invalid_type' && issue.input === undefined ? 'missing' : issue.code,
  }));
}
