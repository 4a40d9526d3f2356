import { type DescribedProject, describeProject } from '../../run-files/describe-project.ts';
import type { Config } from '../deployments/configs.ts';

/**
 * Describes the project of a deployment for a run file; without secrets and variables if it is not in an open
 * folder.
 */
export async function describeProjectOf(config: Config | undefined): Promise<DescribedProject> {
  if (config === undefined) return { git: null, secrets: [], variables: {} };
  return describeProject(config.uri.fsPath, process.env);
}
