import type { GraphStatus, LackingEnv } from '../../../contract/harbor.ts';
import { ifReadable } from '../../../process/if-present.ts';
import { readEnvFile } from '../../../project/env-file.ts';
import { readText } from '../../../project/read-text.ts';
import type { Project } from './project.ts';

/** A variable for a credential, as error messages from model providers' packages name it. */
const CREDENTIAL = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:KEY|TOKEN|SECRET)\b/g;

/**
 * Finds out whether graphs may have failed because of the project's env file: it is missing, or an error names a variable
 * that is not set.
 * @param environment the variables of the graphs, including those of the file.
 * @returns undefined if the file is not the reason.
 */
export async function findLackingEnv(
  { envFile }: Pick<Project, 'envFile'>,
  graphs: readonly GraphStatus[],
  environment: Readonly<Record<string, string>>,
): Promise<LackingEnv | undefined> {
  const failures = graphs.flatMap((graph) => (graph.status === 'failed' ? [graph.error.message] : []));
  if (envFile === undefined || failures.length === 0) return undefined;
  const [text, example] = await Promise.all([
    ifReadable(readText(envFile)),
    ifReadable(readText(`${envFile}.example`)),
  ]);
  const listed = Object.keys(readEnvFile(example ?? '', environment).variables);
  const named = failures.flatMap((message) => message.match(CREDENTIAL) ?? []);
  const isNamed = (name: string) => failures.some((message) => message.includes(name));
  const variables = [...new Set([...listed, ...named])].filter((name) => !environment[name]);
  if (text !== undefined && !variables.some(isNamed)) return undefined;
  return {
    file: envFile,
    is_missing: text === undefined,
    has_example: example !== undefined,
    variables,
  };
}
