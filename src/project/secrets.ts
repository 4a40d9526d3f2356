import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { isReserved } from '../contract/control-plane/reserved-names.ts';
import type { Secret } from '../contract/control-plane/sources.ts';
import { fileSystemCode } from '../process/error-codes.ts';
import { messageOf } from '../process/message-of.ts';
import { parseEnvFile } from './env-file.ts';
import { readText } from './read-text.ts';

const Env = z.looseObject({ env: z.union([z.string(), z.record(z.string(), z.string())]).optional() });

export interface FoundSecrets {
  readonly secrets: readonly Secret[];
  /** The file they came from. */
  readonly file: string;
  /** Names that only the platform may set. */
  readonly reserved: readonly string[];
}

/**
 * The variables of a deployment: from the given file, else the env file of langgraph.json, else `.env`.
 * @returns `undefined` when there is no file; the deployment's variables are then unchanged.
 * @throws Error when the named file cannot be read; EnvFileError for a line that sets nothing.
 */
export async function findSecrets(
  configPath: string,
  envFile: string | undefined,
): Promise<FoundSecrets | undefined> {
  if (envFile !== undefined) return readSecrets(envFile);
  const file = resolve(dirname(configPath), (await readEnvOfConfig(configPath)) ?? '.env');
  const text = await readText(file).catch(() => undefined);
  return text === undefined ? undefined : secretsOf(file, text);
}

/**
 * The variables of an env file.
 * @throws Error when it cannot be read; EnvFileError for a line that sets nothing.
 */
export async function readSecrets(envFile: string): Promise<FoundSecrets> {
  const file = resolve(envFile);
  const text = await readText(file).catch((error: unknown) => {
    if (fileSystemCode(error) === 'ENOENT') throw new Error(`Env file not found: ${file}.`);
    throw new Error(`Could not read the env file ${file}: ${messageOf(error)}`);
  });
  return secretsOf(file, text);
}

function secretsOf(file: string, text: string): FoundSecrets {
  const entries = Object.entries(parseEnvFile(file, text, process.env)).filter(([, value]) => value !== '');
  return {
    file,
    secrets: entries.filter(([name]) => !isReserved(name)).map(([name, value]) => ({ name, value })),
    reserved: entries.map(([name]) => name).filter((name) => isReserved(name)),
  };
}

/** The build reports a config that cannot be read. */
async function readEnvOfConfig(configPath: string): Promise<string | undefined> {
  try {
    const { env } = Env.parse(JSON.parse(await readText(configPath)));
    return typeof env === 'string' ? env : undefined;
  } catch {
    return undefined;
  }
}
