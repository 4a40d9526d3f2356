import { z } from 'zod';
import { RequestError } from './request-error.ts';
import type { Answered, Outgoing } from './transport.ts';

/**
 * Parses the JSON text of an answer.
 * @throws RequestError `unreadable` when it is not valid JSON, or does not match the schema
 */
export function parseAnswer<Value>(
  schema: z.ZodType<Value>,
  text: string,
  outgoing: Outgoing,
  answer: Answered,
): Value {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw unreadableError(outgoing, answer, text, 'the body is not valid JSON', cause);
  }
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  throw unreadableError(outgoing, answer, body, z.prettifyError(read.error), read.error);
}

function unreadableError(
  { method, path, url }: Outgoing,
  answer: Answered,
  body: unknown,
  why: string,
  cause: unknown,
): RequestError {
  return new RequestError(
    `${url.origin} answered ${method} ${path} with a response that this version cannot read: ${why}`,
    {
      problem: 'unreadable',
      method,
      path,
      status: answer.status,
      requestId: answer.header('x-request-id'),
      body,
      cause,
    },
  );
}
