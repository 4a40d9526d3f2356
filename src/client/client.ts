import { audit } from '../contract/audit.ts';
import { workspaceSecrets } from '../contract/control-plane/workspace-secrets.ts';
import { evaluators } from '../contract/evaluators.ts';
import { identity } from '../contract/identity.ts';
import { workspaceLimits } from '../contract/workspace-limits.ts';
import { type AgentServer, agentServer } from './agent-server.ts';
import { bind, type Calls } from './calls.ts';
import { type ClientOptions, transportOf } from './client-options.ts';
import { type Connection, harborAddress, platformAddress } from './connection.ts';
import { type ControlPlane, controlPlane } from './control-plane.ts';
import { type Datasets, datasets } from './datasets.ts';
import type { EventStream } from './event-stream.ts';
import { bindHarbor, type HarborClient } from './harbor-client.ts';
import { type Feedback, sendPresignedFeedback } from './presigned-feedback.ts';
import { type Purging, purging } from './purging.ts';
import { type Tracing, tracing } from './tracing.ts';
import type { CallOptions } from './transport.ts';

/**
 * A platform's interface as typed calls, made from the contract: `client.threads.create({ body: {} })`,
 * `client.runs.stream({ params, body }, { signal })`. The connection decides whether the platform is local or remote.
 */
export class Client implements AgentServer, HarborClient {
  readonly connection: Connection;
  readonly assistants: AgentServer['assistants'];
  readonly threads: AgentServer['threads'];
  readonly runs: AgentServer['runs'];
  readonly threadStream: AgentServer['threadStream'];
  readonly archive: AgentServer['archive'];
  readonly recordings: AgentServer['recordings'];
  readonly nodes: AgentServer['nodes'];
  readonly store: AgentServer['store'];
  readonly crons: AgentServer['crons'];
  readonly system: AgentServer['system'];
  readonly deployments: ControlPlane['deployments'];
  readonly revisions: ControlPlane['revisions'];
  readonly deploymentLogs: ControlPlane['deploymentLogs'];
  /** The whole control plane, with its listeners, integrations and OAuth providers. */
  readonly controlPlane: ControlPlane;
  readonly tracing: Tracing;
  readonly datasets: Datasets['datasets'];
  readonly examples: Datasets['examples'];
  readonly comparisons: Datasets['comparisons'];
  readonly experimentRuns: Datasets['experimentRuns'];
  readonly purging: Purging;
  /** Organizations, workspaces and keys. */
  readonly identity: Calls<typeof identity>;
  readonly workspaceSecrets: Calls<typeof workspaceSecrets>;
  /** Agent Harbor only. */
  readonly audit: Calls<typeof audit>;
  /** Agent Harbor only. */
  readonly workspaceLimits: Calls<typeof workspaceLimits>;
  /** Agent Harbor only. */
  readonly harbor: HarborClient['harbor'];
  /** Agent Harbor only. */
  readonly debugging: HarborClient['debugging'];
  /** Agent Harbor only. */
  readonly evaluators: Calls<typeof evaluators>;
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    const { connection } = options;
    this.#options = options;
    this.connection = connection;
    const transport = transportOf(options);
    const stream = (first: EventStream) => first;
    const agents = agentServer(transport, () => {
      if (connection.deploymentUrl !== undefined) return connection.deploymentUrl;
      throw new TypeError('Choose a deployment first: this client has no deployment URL.');
    });
    this.assistants = agents.assistants;
    this.threads = agents.threads;
    this.runs = agents.runs;
    this.threadStream = agents.threadStream;
    this.archive = agents.archive;
    this.recordings = agents.recordings;
    this.nodes = agents.nodes;
    this.store = agents.store;
    this.crons = agents.crons;
    this.system = agents.system;
    const plane = controlPlane(transport, connection.controlPlaneUrl);
    this.controlPlane = plane;
    this.deployments = plane.deployments;
    this.revisions = plane.revisions;
    this.deploymentLogs = plane.deploymentLogs;
    this.tracing = tracing(transport, connection.baseUrl);
    const data = datasets(transport, connection.baseUrl);
    this.datasets = data.datasets;
    this.examples = data.examples;
    this.comparisons = data.comparisons;
    this.experimentRuns = data.experimentRuns;
    this.purging = purging(transport, connection.baseUrl);
    const platform = {
      transport,
      address: (path: string) => platformAddress(connection.baseUrl, path),
      stream,
    };
    this.identity = bind(identity, platform);
    this.workspaceSecrets = bind(workspaceSecrets, platform);
    this.audit = bind(audit, platform);
    this.workspaceLimits = bind(workspaceLimits, platform);
    const own = bindHarbor(transport, connection);
    this.harbor = own.harbor;
    this.debugging = own.debugging;
    this.evaluators = bind(evaluators, {
      ...platform,
      address: (path: string) => harborAddress(connection.baseUrl, path),
      // Evaluators run the user's code, and call models.
      noTimeout: ['list', 'run'],
    });
  }

  /**
   * Sends feedback to the pre-signed address from a `feedback` event, without credentials.
   * @returns the ID of the feedback, if the platform returns it
   * @throws RequestError
   */
  sendFeedback(address: string, feedback: Feedback, options?: CallOptions): Promise<string | undefined> {
    return sendPresignedFeedback(this.#options.dispatcher, address, feedback, options, this.connection);
  }

  /** A client for another deployment's agent server, with the same platform and credentials. */
  withDeployment(deploymentUrl: string): Client {
    return new Client({ ...this.#options, connection: { ...this.connection, deploymentUrl } });
  }

  /**
   * A client that also sends these headers, which override the credentials. With headers, the caller is no longer treated
   * as the owner of a local server.
   */
  withHeaders(headers: Readonly<Record<string, string>>): Client {
    if (Object.keys(headers).length === 0) return this;
    const { credentials } = this.connection;
    const { 'x-auth-scheme': _, ...others } = credentials.headers ?? {};
    return new Client({
      ...this.#options,
      connection: {
        ...this.connection,
        credentials: { ...credentials, headers: { ...others, ...headers } },
      },
    });
  }
}
