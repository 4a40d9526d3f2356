import type { IncomingMessage } from 'node:http';
import type { Access } from '../../../contract/endpoint.ts';
import type { Caller } from '../../http/caller.ts';
import type { DeploymentRuntime } from '../../runtimes/deployment-runtime.ts';
import type { Project } from '../../runtimes/project/project.ts';
import type { InProcessCalls } from '../runtime/in-process-calls.ts';
import { type CustomAuthentication, refuseUnreadable } from './custom-auth.ts';
import { asksAsStudio, STUDIO_USER } from './studio-user.ts';

export interface AdmissionOptions {
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly inProcess: InProcessCalls;
  readonly runtime: Pick<DeploymentRuntime, 'project' | 'ready'>;
  /** The project's own `auth`. */
  readonly auth: CustomAuthentication;
  /**
   * Finds the caller by a request's key; undefined if the deployment does not require one.
   * @throws HttpError 401 or 403
   */
  byKey(request: IncomingMessage, asked: Access): Promise<Caller | undefined>;
  /** Whether a request has the key of this machine's owner. */
  isOwner(request: IncomingMessage): Promise<boolean>;
}

/** Authenticates the callers of a deployment. */
export class Admission {
  readonly #options: AdmissionOptions;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /**
   * Finds the caller of a request. Checks the deployment's key, if it requires one, except for calls of the
   * project's own code.
   * @throws HttpError 401 or 403
   */
  async admit(request: IncomingMessage, asked: Access): Promise<Caller> {
    const { organizationId, workspaceId, inProcess, byKey } = this.#options;
    const caller: Caller = { organizationId, workspaceId, by: { kind: 'loopback' } };
    const initiator = inProcess.takeInitiator(request);
    if (initiator !== undefined) {
      const { run_id: runId, user } = initiator;
      return {
        ...caller,
        ...(runId === undefined ? {} : { runId }),
        ...(user === undefined ? {} : { user }),
      };
    }
    // If no key is required, a wrong one is ignored, because SDKs send stale keys from the environment.
    return (await byKey(request, asked)) ?? caller;
  }

  /**
   * Checks the deployment's key, then asks the project's own `auth`.
   * @throws HttpError 401, 403; 503 if the project cannot be read
   */
  async authenticate(request: IncomingMessage, asked: Access): Promise<Caller> {
    const { inProcess, auth, isOwner } = this.#options;
    const isInProcess = inProcess.claims(request);
    const caller = await this.admit(request, asked);
    if (asked.credentials !== 'deployment' || isInProcess) return caller;
    // Whether the project has its own `auth` is only known once it has been read.
    const { config } = await this.readProject();
    if (!auth.isOn) return caller;
    const asStudio = config.auth?.disable_studio_auth !== true && asksAsStudio(request.headers);
    if (asStudio && (await isOwner(request))) return { ...caller, user: STUDIO_USER };
    return auth.authenticate(request, caller);
  }

  /** The project, once it has been read. @throws HttpError 503 when it cannot be */
  async readProject(): Promise<Project> {
    const { runtime } = this.#options;
    if (runtime.project === undefined) await runtime.ready().catch(refuseUnreadable);
    return runtime.project ?? refuseUnreadable();
  }
}
