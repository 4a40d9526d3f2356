import type { SecretValue } from '../replay/mask.ts';
import type { RunFileHead } from '../replay/run-file.ts';

/** A placeholder for secrets that a project needs to load, but that a replay does not use. */
const NO_VALUE = 'not-needed-for-a-replay';

/** Makes a replay mask the placeholder, just as the recording masked the real values. */
export const standInSecret: SecretValue = { name: 'NO_VALUE', value: NO_VALUE };

/**
 * The variables that a project needs to load for a replay. Secrets, whose values are not saved, get a placeholder.
 */
export function standInVariables({ variables }: Pick<RunFileHead, 'variables'>): Record<string, string> {
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, value ?? NO_VALUE]));
}
