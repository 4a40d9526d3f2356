import { dirname, resolve } from 'node:path';
import { isReserved } from '../contract/control-plane/reserved-names.ts';
import type { Secret } from '../contract/control-plane/sources.ts';
import { fileSystemCode } from '../process/error-codes.ts';
import { ifReadable } from '../process/if-present.ts';
import { jsonOrUndefined } from '../process/json-or-undefined.ts';
import { messageOf } from '../process/message-of.ts';
import { isObject } from '../process/objects.ts';
import { parseEnvFile } from './env-file.ts';
import { readText } from './read-text.ts';
import { readVariables } from './variables.ts';

/** The variables to deploy, which the control plane calls secrets. */
export interface FoundSecrets {
  readonly secrets: readonly Secret[];
  /** The file that they came from: an env file, or the langgraph.json that contains them. */
  readonly file: string;
  /** Names that were left out, because only the platform may set them. */
  readonly reserved: readonly string[];
}

/**
 * Finds the variables for a deployment: in the given file, else in `env` of langgraph.json, else, if it has
 * no `env`, in `.env`. Variables with empty values are left out.
 * @returns `undefined` when the project has neither variables nor an env file; the deployment's variables are
 * then not changed.
 * @throws Error when the given file, or the one that `env` names, cannot be read; EnvFileError for an invalid
 * line.
 */
export async function findSecrets(configPath: string, envFile?: string): Promise<FoundSecrets | undefined> {
  if (envFile !== undefined) return readSecrets(envFile);
  const config = jsonOrUndefined((await ifReadable(readText(configPath))) ?? '');
  // The build reports a config that cannot be read.
  if (!isObject(config)) return undefined;
  const dir = dirname(configPath);
  const { env } = config;
  // Without `env`, `.env` is read, as in the public command line.
  const found = await readVariables(dir, env ?? '.env', process.env).catch((error: unknown) => {
    if (fileSystemCode(error) === undefined) throw error;
    if (env !== undefined) throw unreadable(resolve(dir, String(env)), error);
    // `.env` may also be the folder of a Python environment.
    return undefined;
  });
  if (found === undefined || found.kind === 'none') return undefined;
  if (found.kind === 'file') return found.isMissing ? undefined : secretsOf(found.file, found.variables);
  return Object.keys(found.variables).length === 0 ? undefined : secretsOf(configPath, found.variables);
}

/**
 * Reads the variables for a deployment from an env file.
 * @throws Error when it cannot be read; EnvFileError for an invalid line.
 */
export async function readSecrets(envFile: string): Promise<FoundSecrets> {
  const file = resolve(envFile);
  const text = await readText(file).catch((error: unknown) => {
    throw unreadable(file, error);
  });
  return secretsOf(file, parseEnvFile(file, text, process.env));
}

function secretsOf(file: string, variables: Readonly<Record<string, string>>): FoundSecrets {
  const entries = Object.entries(variables).filter(([, value]) => value !== '');
  return {
    file,
    secrets: entries.filter(([name]) => !isReserved(name)).map(([name, value]) => ({ name, value })),
    reserved: entries.map(([name]) => name).filter((name) => isReserved(name)),
  };
}

function unreadable(file: string, cause: unknown): Error {
  return new Error(
    fileSystemCode(cause) === 'ENOENT'
      ? `Env file not found: ${file}.`
      : `Could not read the env file ${file}: ${messageOf(cause)}`,
    { cause },
  );
}
