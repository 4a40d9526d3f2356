import path from 'node:path';
import { isObject } from '../process/objects.ts';
import { parseEnvFile } from './env-file.ts';
import { readText } from './read-text.ts';

/** A project's variables: those in `env` itself, those of the file that it names, or none. */
export type ProjectVariables =
  | { readonly kind: 'inline'; readonly variables: Readonly<Record<string, string>> }
  | {
      readonly kind: 'file';
      /** Absolute path. */
      readonly file: string;
      readonly variables: Readonly<Record<string, string>>;
      /** Whether the file does not exist, as in a fresh clone. */
      readonly isMissing: boolean;
    }
  | { readonly kind: 'none' };

/**
 * Reads the variables of a project, for `dev`, `deploy`, `up`, run files and masking alike. This module imports little,
 * because the first start of a graph waits for it.
 * @param dir the folder of langgraph.json.
 * @param env its `env`; values of an object that are not text are ignored here, and reported by the checks.
 * @param environment values of `${NAME}` for names that the file has not set further up.
 * @throws EnvFileError for an invalid line; the error of the file system for an existing file that cannot be read.
 */
export async function readVariables(
  dir: string,
  env: unknown,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ProjectVariables> {
  if (isObject(env)) return { kind: 'inline', variables: stringsIn(env) };
  if (typeof env !== 'string') return { kind: 'none' };
  const file = path.resolve(dir, env);
  const text = await readText(file).catch(undefinedWhenMissing);
  return {
    kind: 'file',
    file,
    variables: text === undefined ? {} : parseEnvFile(file, text, environment),
    isMissing: text === undefined,
  };
}

/** The values of a project's variables; empty if it has none. */
export function valuesOf(variables: ProjectVariables): Readonly<Record<string, string>> {
  return variables.kind === 'none' ? {} : variables.variables;
}

/** The string fields of an object. */
export function stringsIn(value: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(isObject(value) ? value : {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
}

function undefinedWhenMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
