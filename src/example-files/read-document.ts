import type { z } from 'zod';
import { ExampleFileError } from './example-file-error.ts';

/**
 * Checks a document of a tool.
 * @throws ExampleFileError that names the place of what is wrong
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
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ExampleFileError(`The file is not valid JSON: ${reason}.`);
  }
}
