import { ArgumentError } from './argument-error.ts';
import { readDatabase, readSecretsKey, VARIABLES } from './environment-values.ts';

/** A rotation of the secrets key: of the data folder, or of a team with the given keys. */
export type KeyRotation =
  | 'folder'
  | { readonly database: string; readonly from: Buffer; readonly to: Buffer };

/**
 * Reads the option `--rotate-secrets-key`, and for a team its variables.
 * @param whose the option's argument: `folder` or `team`.
 * @throws ArgumentError for an invalid argument, or a missing or invalid variable.
 */
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
