import type { z } from 'zod';
import { isDeeperThan, MAX_JSON_DEPTH } from '../process/is-deeper-than.ts';
import { messageOf } from '../process/message-of.ts';
import { ExampleFileError } from './example-file-error.ts';

/**
 * Checks a document of a tool.
 * @throws ExampleFileError that says what is wrong, and where
 */
export function readDocument<Document>(value: unknown, schema: z.ZodType<Document>, what: string): Document {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const place = issue?.path.join('.') ?? '';
  const reason = issue?.message ?? 'not valid';
  throw new ExampleFileError(`This is not ${what}: ${place === '' ? reason : `${place}: ${reason}`}.`);
}

/** @throws ExampleFileError when it is not JSON */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = messageOf(error);
    throw new ExampleFileError(`The file is not valid JSON: ${reason}.`);
  }
  checkDepth(value, 'The file');
  return value;
}

/** @param what the value is, such as a line. @throws ExampleFileError when no platform could store it */
export function checkDepth(value: unknown, what: string): void {
  if (isDeeperThan(MAX_JSON_DEPTH, value))
    throw new ExampleFileError(`${what} is nested more than ${MAX_JSON_DEPTH} levels deep.`);
}
