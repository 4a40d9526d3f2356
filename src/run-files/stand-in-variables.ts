import type { SecretValue } from '../replay/mask.ts';
import type { RunFileHead } from '../replay/run-file.ts';

/** The value of a variable that a project requires but that is not used when a file answers its requests. */
const NO_VALUE = 'not-needed-for-a-replay';

/** Masks that value just as the values that it replaces were masked. */
export const standInSecret: SecretValue = { name: 'NO_VALUE', value: NO_VALUE };

/**
 * The variables that a project needs to load for a replay; those whose values are in no file get a placeholder.
 */
export function standInVariables({ variables }: Pick<RunFileHead, 'variables'>): Record<string, string> {
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, value ?? NO_VALUE]));
}
