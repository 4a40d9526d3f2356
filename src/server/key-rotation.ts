import { ArgumentError } from './argument-error.ts';
import { readDatabase, readSecretsKey, VARIABLES } from './environment-values.ts';

/** The data folder or the team whose secrets are to be encrypted with another key. */
export type KeyRotation =
  | 'folder'
  | { readonly database: string; readonly from: Buffer; readonly to: Buffer };

/** @throws ArgumentError for a missing or invalid argument. */
export function readKeyRotation(whose: string, environment: NodeJS.ProcessEnv): KeyRotation {
  if (whose === 'folder') return 'folder';
  if (whose !== 'team') throw new ArgumentError("--rotate-secrets-key must be 'folder' or 'team'.");
  const database = readDatabase(environment[VARIABLES.database]);
  if (database === undefined)
    throw new ArgumentError(`Set ${VARIABLES.database} to the URL of a PostgreSQL database.`);
  const from = readSecretsKey(environment[VARIABLES.secretsKey]);
  const to = readSecretsKey(environment[VARIABLES.newSecretsKey], VARIABLES.newSecretsKey);
  if (from.equals(to))
    throw new ArgumentError(`${VARIABLES.newSecretsKey} is the current key. Generate another one.`);
  return { database, from, to };
}
