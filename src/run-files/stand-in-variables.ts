import type { SecretValue } from '../replay/mask.ts';
import type { RunFileHead } from '../replay/run-file.ts';

/** The value of a variable that a project asks for and that nothing needs when it is answered from a file. */
const NO_VALUE = 'not-needed-for-a-replay';

/** Masks that value as the values were that it stands for. */
export const standInSecret: SecretValue = { name: 'NO_VALUE', value: NO_VALUE };

/** The variables that a project needs to be loaded for a replay; those whose values are in no file have a stand-in. */
export function standInVariables({ variables }: Pick<RunFileHead, 'variables'>): Record<string, string> {
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, value ?? NO_VALUE]));
}
