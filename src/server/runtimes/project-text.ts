import { readFile } from 'node:fs/promises';
import { parseEnvFile } from '../../project/env-file.ts';

/** The text of a project's file, without the byte order mark that editors on Windows put before it. */
export async function readText(file: string): Promise<string> {
  return (await readFile(file, 'utf8')).replace(/^\uFEFF/, '');
}

/**
 * The variables of a project's env file.
 * @param environment what the graphs inherit, for `${NAME}` in the file.
 * @throws EnvFileError, and why the file could not be read.
 */
export async function readEnvFile(
  file: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Record<string, string>> {
  return parseEnvFile(file, await readText(file), environment);
}
