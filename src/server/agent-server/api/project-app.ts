import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Access, Endpoint } from '../../../contract/endpoint.ts';
import type { Caller } from '../../http/caller.ts';
import { refuseMistakenAddress } from '../../http/mistaken-address.ts';
import { allowOrigin, type CorsSettings } from '../../http/origin-policy.ts';
import type { HttpConfig } from '../../runtimes/project/project-config.ts';
import { CALL_AGENT } from '../auth/call-agent.ts';
import type { CustomRoutes } from '../runtime/custom-routes.ts';
import type { InProcessCalls } from '../runtime/in-process-calls.ts';

export interface ProjectAppOptions {
  readonly routes: CustomRoutes;
  readonly inProcess: InProcessCalls;
  config(): HttpConfig | undefined;
  cors(): CorsSettings;
  /** Checks the deployment's key, if it requires one. @throws HttpError */
  admit(request: IncomingMessage, asked: Access): Promise<Caller>;
  /** Checks the key, then asks the project's own `auth`. @throws HttpError */
  authenticate(request: IncomingMessage, asked: Access): Promise<Caller>;
}

/** Decides which requests the project's own `http.app` gets, and authenticates them. */
export class ProjectApp {
  readonly #options: ProjectAppOptions;
  constructor(options: ProjectAppOptions) {
    this.#options = options;
  }

  /**
   * Lets the app answer before the server's endpoints. Its routes take precedence, and its middleware sees
   * everything except endpoints without credentials (`/ok`, `/info`) and the project's own calls.
   * @returns false when the endpoint answers.
   */
  async answerFirst(
    request: IncomingMessage,
    response: ServerResponse,
    endpoint: Endpoint,
  ): Promise<boolean> {
    const { routes, inProcess, config, cors, admit, authenticate } = this.#options;
    if (inProcess.takePassedOn(request) || !routes.exists || inProcess.claims(request)) return false;
    if (endpoint.credentials === 'none' || !(await routes.handles(request))) return false;
    allowOrigin(request, response, endpoint.credentials, cors());
    // The endpoint authenticates again, because the middleware may have changed the request.
    if (config()?.middleware_order === 'auth_first') await authenticate(request, endpoint);
    else await admit(request, endpoint);
    return routes.answer(request, response, { behind: true });
  }

  /** Lets the app answer requests that match no endpoint. @returns false when no app has answered. */
  async answerUnmatched(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const { routes, config, admit, authenticate } = this.#options;
    if (routes.exists) {
      const ask = config()?.enable_custom_route_auth === true ? authenticate : admit;
      const { user } = await ask(request, CALL_AGENT);
      if (await routes.answer(request, response, { user })) return true;
    }
    refuseMistakenAddress('deployment', request.url ?? '/');
    return false;
  }
}
