import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { Failure } from '../terminal/failure.ts';

/**
 * Reads a file of a `langgraph dev` folder.
 * @param decode parses the file's bytes
 * @param hint a sentence to append to the error, about what the user can do
 * @throws Failure if the file cannot be read or its content does not match `schema`
 */
export async function readDevFile<Schema extends z.ZodType>(
  file: string,
  decode: (bytes: Buffer) => unknown,
  schema: Schema,
  hint = '',
): Promise<z.output<Schema>> {
  try {
    return schema.parse(decode(await readFile(file)));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error).split('\n')[0] : String(error);
    throw new Failure(`${file} is not in the format of langgraph dev: ${why}${hint}`);
  }
}
