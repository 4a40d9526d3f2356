import { readFileSync } from 'node:fs';
import { messageOf } from './message-of.ts';

/** Variables that only a server may know, whatever it serves: no process that it starts gets them. */
export const SERVER_SECRETS = [
  'AGENT_HARBOR_API_KEY',
  'AGENT_HARBOR_PREVIOUS_API_KEY',
  'AGENT_HARBOR_DATABASE',
  'AGENT_HARBOR_DATABASE_REPLICA',
  'AGENT_HARBOR_SECRETS_KEY',
  'AGENT_HARBOR_NEW_SECRETS_KEY',
] as const;

/**
 * The credentials of an object store. They belong to the server only if it uses an object store; otherwise
 * they may belong to an agent.
 */
export const STORE_SECRETS = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'] as const;

/** The ending of variables that name a file with the secret: `AGENT_HARBOR_API_KEY_FILE`. */
const IN_FILE = '_FILE';

/** A secret that cannot be read; the message says which, and what to do. */
export class SecretVariableError extends Error {
  override readonly name = 'SecretVariableError';
}

/** An environment, separated from its secrets. */
export interface TakenSecrets {
  /** The secrets that are set, by name. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Everything else. */
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * Separates secrets from an environment, which is not changed. Each may instead be given in a file whose name is
 * in the variable `<NAME>_FILE`: the secret is the text of the file without the final line break.
 * @param environment `process.env` itself, because on Windows only it ignores case
 * @throws SecretVariableError for a file that cannot be read or is empty, and for a secret that is given
 * twice.
 */
export function takeSecrets(names: readonly string[], environment: NodeJS.ProcessEnv): TakenSecrets {
  const secrets: Record<string, string> = {};
  for (const name of names) {
    const inFile = name + IN_FILE;
    const { [name]: value = '', [inFile]: file = '' } = environment;
    if (value !== '' && file !== '')
      throw new SecretVariableError(`${name} and ${inFile} are both set. Set one of them.`);
    const secret = file === '' ? value : readSecretFile(inFile, file);
    if (secret !== '') secrets[name] = secret;
  }
  return { secrets, environment: withoutSecrets(names, environment) };
}

/** An environment without secrets and the names of their files. On Windows, names ignore case. */
export function withoutSecrets(
  names: readonly string[],
  environment: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): NodeJS.ProcessEnv {
  const secret = new Set(names.flatMap((name) => [name, name + IN_FILE]));
  const isSecret = (name: string) => secret.has(platform === 'win32' ? name.toUpperCase() : name);
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !isSecret(name)));
}

function readSecretFile(variable: string, file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new SecretVariableError(
      `The file of ${variable} cannot be read: ${messageOf(error)}. Set ${variable} to a readable file, or unset it.`,
    );
  }
  const secret = text.replace(/\r?\n$/, '');
  if (secret === '')
    throw new SecretVariableError(
      `The file of ${variable} is empty: ${file}. Write the secret to it, or unset ${variable}.`,
    );
  return secret;
}
