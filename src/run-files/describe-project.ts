import { readGitState } from '../project/git-state.ts';
import { findSecrets } from '../project/secrets.ts';
import type { SecretValue } from '../replay/mask.ts';
import type { RunFileHead } from '../replay/run-file.ts';
import { inheritedSecrets, plainVariables, secretValues } from '../replay/secret-values.ts';

/** The parts of a project that a run file names, and the secrets that it must not contain. */
export interface DescribedProject {
  readonly git: RunFileHead['git'];
  readonly secrets: readonly SecretValue[];
  readonly variables: RunFileHead['variables'];
}

/**
 * Reads the git state and the variables of a project.
 * @param configPath the path of a langgraph.json
 * @param environment the variables that its graphs inherit
 * @throws EnvFileError for an invalid line of the env file
 */
export async function describeProject(
  configPath: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<DescribedProject> {
  const { commit, branch, changed } = await readGitState(configPath);
  const found = await findSecrets(configPath);
  const variables = Object.fromEntries((found?.secrets ?? []).map(({ name, value }) => [name, value]));
  const secrets = [...inheritedSecrets(environment), ...secretValues(variables)];
  return {
    git: commit === undefined ? null : { commit, branch: branch ?? null, dirty: changed > 0 },
    secrets,
    variables: {
      ...Object.fromEntries(secrets.map(({ name }) => [name, null])),
      ...plainVariables(variables),
    },
  };
}
