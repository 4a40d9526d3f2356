import { readGitState } from '../project/git-state.ts';
import { findSecrets } from '../project/secrets.ts';
import { isSecretName, type SecretValue } from '../replay/mask.ts';
import type { RunFileHead } from '../replay/run-file.ts';
import { plainVariables, secretValues } from '../replay/secret-values.ts';

/** What a run file says of a project, and what it must not. */
export interface DescribedProject {
  readonly git: RunFileHead['git'];
  readonly secrets: readonly SecretValue[];
  readonly variables: RunFileHead['variables'];
}

/**
 * @param configPath of langgraph.json.
 * @param environment what its graphs inherit.
 * @throws EnvFileError for a line of the env file that sets nothing.
 */
export async function describeProject(
  configPath: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<DescribedProject> {
  const { commit, branch, changed } = await readGitState(configPath);
  const found = await findSecrets(configPath, undefined);
  const variables = Object.fromEntries((found?.secrets ?? []).map(({ name, value }) => [name, value]));
  const secrets = [...secretValues(telling(environment)), ...secretValues(variables)];
  return {
    git: commit === undefined ? null : { commit, branch: branch ?? null, dirty: changed > 0 },
    secrets,
    variables: {
      ...Object.fromEntries(secrets.map(({ name }) => [name, null])),
      ...plainVariables(variables),
    },
  };
}

/** Shells keep folders in these, whatever their names look like. */
const FOLDERS: ReadonlySet<string> = new Set(['PWD', 'OLDPWD']);

/** Those variables whose names say that they are secrets. */
function telling(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const named = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && isSecretName(entry[0]) && !FOLDERS.has(entry[0]),
  );
  return Object.fromEntries(named);
}
