import type { DispatchOptions } from '../../http/dispatch.ts';
import type { AgentServerOptions } from '../agent-server-options.ts';
import type { AgentServerParts } from '../assembly/make-parts.ts';
import { corsSettings } from '../assembly/settings.ts';
import { loggedHeaders } from '../auth/header-selection.ts';
import { ProjectApp } from './project-app.ts';
import { routesOf } from './routes.ts';
import { servedPath } from './served-paths.ts';

/** The maximum bytes of a JSON body. */
const MAX_BODY_BYTES = 300 * 1_048_576;

/**
 * Options that dispatch the requests of a deployment to the project's own app or to the agent server, as
 * langgraph.json says.
 */
export function dispatchOptions(
  { host, access, networkAddress, publicUrl }: AgentServerOptions,
  parts: AgentServerParts,
): DispatchOptions {
  const { runtime, admission, auth, inProcess, scheduler, customRoutes } = parts;
  const config = () => runtime.project?.config;
  const cors = () => corsSettings(config());
  const authenticate: DispatchOptions['authenticate'] = (...asked) => admission.authenticate(...asked);
  const app = new ProjectApp({
    routes: customRoutes,
    inProcess,
    config: () => config()?.http,
    cors,
    admit: (...asked) => admission.admit(...asked),
    authenticate,
  });
  return {
    router: routesOf(host, publicUrl, parts),
    logger: host.logger,
    observe: (seconds, status) => host.meters.requests.observe(seconds, { at: 'agent', status }),
    // DNS rebinding does no harm here: every request needs a key, which a web page does not have.
    anyHostName: networkAddress !== undefined || publicUrl !== undefined,
    cors,
    logged: (request) => loggedHeaders(request.headers, config()?.http?.logging_headers),
    route: (url) => servedPath(url, config()?.http),
    first: (request, response, endpoint) => app.answerFirst(request, response, endpoint),
    otherwise: (request, response) => app.answerUnmatched(request, response),
    bodyLimit: MAX_BODY_BYTES,
    authenticate,
    authorize: (endpoint, call) => auth.authorize(endpoint, call),
    onRevoked: (caller, end) => {
      const release = access.onRevoked?.(caller, end);
      // While the connection waits, the run that made the request gives up its slot.
      const takeBack = caller.runId === undefined ? undefined : scheduler.lend(caller.runId);
      return () => {
        release?.();
        takeBack?.();
      };
    },
  };
}
