import type { DeploymentRuntime } from '../../runtimes/deployment-runtime.ts';
import type { AgentServerOptions } from '../agent-server-options.ts';
import type { Assistants } from '../assistants/assistants.ts';
import { UsableAssistants } from '../assistants/usable-assistants.ts';
import { Admission } from '../auth/admission.ts';
import { CustomAuthentication } from '../auth/custom-auth.ts';
import { OwnedResources } from '../auth/owned-resources.ts';
import { RunAuthorization } from '../auth/run-authorization.ts';
import type { InProcessCalls } from '../runtime/in-process-calls.ts';

/** The parts that decide who may call a deployment, and what callers may do. */
export interface Access {
  readonly admission: Admission;
  /** The project's own `auth`. */
  readonly auth: CustomAuthentication;
  /** The assistants that a caller may use. */
  readonly usable: UsableAssistants;
  /** The project's own `auth`, as runs use it. */
  readonly authorization: RunAuthorization;
}

export function makeAccess(
  { deployment, storage, access, log }: AgentServerOptions,
  parts: { runtime: DeploymentRuntime; assistants: Assistants; inProcess: InProcessCalls },
): Access {
  const { runtime, assistants, inProcess } = parts;
  const auth = new CustomAuthentication(runtime, new OwnedResources(storage.db, deployment.id), log);
  return {
    auth,
    usable: new UsableAssistants(assistants, auth),
    authorization: new RunAuthorization(auth),
    admission: new Admission({
      organizationId: deployment.organizationId,
      workspaceId: deployment.workspaceId,
      inProcess,
      runtime,
      auth,
      byKey: (request, asked) => access.authenticate(request, asked),
      isOwner: (request) => access.isOwner(request),
    }),
  };
}
