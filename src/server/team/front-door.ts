import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { debugging } from '../../contract/debugging.ts';
import { evaluators } from '../../contract/evaluators.ts';
import { harbor } from '../../contract/harbor.ts';
import { type DispatchOptions, dispatcher } from '../http/dispatch.ts';
import { HttpError } from '../http/errors.ts';
import { Origin } from '../http/origin.ts';
import { sendError } from '../http/send-error.ts';
import { refuseUpgrade } from '../http/upgrade.ts';
import type { Logger } from '../logger.ts';
import type { DeploymentAddresses } from './deployment-addresses.ts';

const { changes: _, ...ofTheMachine } = harbor;
/** Endpoints for clients on the server's own machine, about folders on its disk, its processes, or stopping it. */
const MACHINE_ENDPOINTS = new Set(
  [ofTheMachine, debugging, evaluators].flatMap((table) => Object.values(table)),
);

interface FrontDoorOptions {
  readonly port: number;
  /** The options with which the platform answers on its own machine. */
  readonly platform: DispatchOptions;
  readonly logger: Logger;
  readonly addresses: DeploymentAddresses;
  /** Whether clients should go to other servers. */
  isEnding(): boolean;
  /**
   * The address of a deployment, once it is served; undefined for an unknown one.
   * @throws HttpError 503 if it cannot be served here, even if other servers serve it.
   */
  findAgent(deploymentId: string): Promise<Origin | undefined>;
}

/**
 * Listens on all network addresses, for a load balancer. Serves the platform, and each deployment below a path or at
 * its own host.
 * @throws PortTakenError
 */
export function openFrontDoor(options: FrontDoorOptions): Promise<Origin> {
  const { port, platform, logger } = options;
  const answerPlatform = dispatcher({
    ...platform,
    // Any host name is safe, because every request needs a key, which a web page that has rebound its host
    // name does not have.
    anyHostName: true,
    first: async (_request, _response, endpoint) => {
      if (MACHINE_ENDPOINTS.has(endpoint)) throw new HttpError(404, 'Not Found');
      return false;
    },
  });
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    // A kept-alive connection would lead here until the server ends and breaks it.
    if (options.isEnding()) response.setHeader('connection', 'close');
    const agent = await enter(request, options);
    if (agent === undefined) await answerPlatform(request, response);
    else agent.receive(request, response);
  };
  const upgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const agent = await enter(request, options);
    if (agent === undefined) throw new HttpError(404, 'Not Found');
    agent.receiveUpgrade(request, socket, head);
  };
  return Origin.listen(
    port,
    (request, response) =>
      void answer(request, response).catch((error: unknown) =>
        sendError(request, response, { error, requestId: '', logger }),
      ),
    (request, socket, head) => {
      // A client that has disconnected needs no answer.
      socket.on('error', () => {});
      upgrade(request, socket, head).catch((error: unknown) => refuseUpgrade(socket, error, logger));
    },
    { networkAddress: '0.0.0.0' },
  );
}

/**
 * Finds the deployment of a request, and rewrites its path for that deployment.
 * @returns undefined for the platform.
 * @throws HttpError 404 for an unknown deployment, 503 if it cannot be served here.
 */
async function enter(
  request: IncomingMessage,
  { addresses, findAgent }: FrontDoorOptions,
): Promise<Origin | undefined> {
  const addressed = addresses.read(request);
  if (addressed === undefined) return undefined;
  const agent = await findAgent(addressed.deploymentId);
  if (agent === undefined) throw new HttpError(404, `Deployment ID ${addressed.deploymentId} not found.`);
  request.url = addressed.url;
  return agent;
}
