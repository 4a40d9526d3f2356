import type { z } from 'zod';
import { isDeeperThan, MAX_JSON_DEPTH } from '../process/is-deeper-than.ts';
import { messageOf } from '../process/message-of.ts';
import { ExampleFileError } from './example-file-error.ts';

/**
 * Reads a parsed document with the schema of its format.
 * @param what the kind of document, such as "an eval set"
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

/** Removes the mark that programs on Windows write at the beginning of UTF-8 files. */
export function withoutByteOrderMark(text: string): string {
  return text.replace(/^\uFEFF/, '');
}

/**
 * Parses a file of JSON.
 * @throws ExampleFileError when it is not JSON, or too deep for any platform to store
 */
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

/**
 * Checks that a value is not nested too deeply for platforms to store.
 * @param what names the value in the error, such as "Line 2"
 * @throws ExampleFileError when it is
 */
export function checkDepth(value: unknown, what: string): void {
  if (isDeeperThan(MAX_JSON_DEPTH, value))
    throw new ExampleFileError(`${what} is nested more than ${MAX_JSON_DEPTH} levels deep.`);
}
