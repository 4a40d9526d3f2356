import type { Build } from '../builds/build.ts';
import type { DeploymentRow } from '../data/deployment-store.ts';
import { readSourceConfig } from '../data/deployment-wire.ts';
import type { RevisionRow } from '../data/revision-store.ts';

/** A revision with its build and its secrets. */
export interface BuiltRevision {
  readonly revision: RevisionRow;
  readonly build: Build;
  readonly secrets: Readonly<Record<string, string>>;
}

/**
 * The environment variables of a revision: its secrets, and those with which LangSmith's platform describes a deployment.
 * @param controlPlaneUrl the URL of the platform.
 */
export function deploymentEnvironment(
  deployment: DeploymentRow,
  { revision, build, secrets }: BuiltRevision,
  controlPlaneUrl: string,
): Record<string, string> {
  const { repo_url: url } = readSourceConfig(revision.source_config);
  return {
    ...secrets,
    LANGSMITH_DEPLOYMENT_NAME: deployment.name,
    LANGSMITH_HOST_PROJECT_ID: deployment.id,
    LANGSMITH_HOST_PROJECT_NAME: deployment.name,
    LANGSMITH_HOST_REVISION_ID: revision.id,
    LANGSMITH_TENANT_ID: deployment.workspace_id,
    LANGSMITH_API_URL: `${controlPlaneUrl}/api-host`,
    ...(url == null ? {} : { LANGSMITH_LANGGRAPH_GIT_REPO: url }),
    ...(build.commit === null ? {} : { LANGSMITH_LANGGRAPH_GIT_REF_SHA: build.commit }),
  };
}
