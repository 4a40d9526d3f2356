import type { HarborClient } from '../../client/harbor-client.ts';
import { RequestError } from '../../client/request-error.ts';
import type { Change, LiveDeployment } from '../../contract/harbor.ts';
import type { HeadStart } from '../../launcher/head-start.ts';
import { harborOf, type RunningServer } from '../../launcher/running-server.ts';
import { IdleMemory } from '../../process/idle-memory.ts';
import { Foreground } from '../folders/foreground.ts';
import { followLiveLog } from '../folders/live-log.ts';
import { HOLDER, openFolder } from '../folders/open-folder.ts';
import { SLOW_MS } from '../folders/open-folder-with-progress.ts';
import { changedLines, loadingSentence, logText, otherHolders, runtimeLines } from '../render/deployment.ts';
import { failureSentence } from '../render/places.ts';
import type { Context } from '../terminal/context.ts';
import { explain } from '../terminal/explain.ts';
import { Failure } from '../terminal/failure.ts';
import { DebugPorts } from './debug-ports.ts';
import { openDebuggers } from './debug-session.ts';

interface DevSessionOptions {
  /** The real path of a langgraph.json. */
  readonly configPath: string;
  readonly port?: number | undefined;
  readonly dataDir?: string | undefined;
  /** Absolute path of an interpreter, or of its environment's folder. */
  readonly python?: string | undefined;
  /** Whether the agent requires an API key. */
  readonly requireKey?: boolean | undefined;
  /** A network address to listen on besides loopback. */
  readonly host?: string | undefined;
  /** Ports on 127.0.0.1 for debuggers. */
  readonly debugPort?: number | undefined;
  readonly inspect?: number | undefined;
  readonly json: boolean;
  /** The server that was started early, if any; it opens the folder while it starts. */
  readonly headStart: HeadStart;
}

/** `agent-harbor dev`: serves an agent from its folder while the command runs, across restarts of the server. */
export class DevSession {
  readonly #context: Context;
  readonly #options: DevSessionOptions;
  #folder: LiveDeployment | undefined;
  #port: number | undefined;
  /** The state of the graphs that was shown last, as JSON; empty before the first. */
  #seenRuntime = '';
  #runtime: LiveDeployment['runtime'] | undefined;
  #following: AbortController | undefined;
  #ports: DebugPorts | undefined;
  /** The client of the server whose graphs the debug ports lead to. */
  #debugged: HarborClient | undefined;
  /** The client of the server whose log is being followed. */
  #followed: HarborClient | undefined;
  #client: { readonly server: RunningServer; readonly client: HarborClient } | undefined;

  constructor(context: Context, options: DevSessionOptions) {
    this.#context = context;
    this.#options = options;
    this.#port = options.port;
  }

  async run(): Promise<void> {
    const { configPath } = this.#options;
    const foreground: Foreground = new Foreground(this.#context, {
      client: 'agent-harbor dev',
      // `--port` is for the agent. Clients find the port of the platform in server.json.
      dataDir: this.#options.dataDir,
      headStart: this.#options.headStart,
      onSuccessor: (server) => void this.#serveAgain(server, configPath),
      onChanges: (changes) => void this.#handleChanges(foreground, changes),
    });
    const { debugPort, inspect } = this.#options;
    try {
      if (debugPort !== undefined || inspect !== undefined)
        this.#ports = await DebugPorts.open({ python: debugPort, node: inspect });
      await new IdleMemory().after(this.#serve(await foreground.start(), configPath));
      await foreground.untilInterrupted();
      if (!this.#options.json) this.#context.terminal.note('Stopping…');
    } finally {
      this.#ports?.close();
      this.#following?.abort();
      await foreground.disconnect(this.#folder?.deployment_id);
    }
  }

  /** Opens the folder on a server and announces the agent. @throws Failure if the graphs cannot be loaded at first */
  async #serve(server: RunningServer, configPath: string): Promise<void> {
    const { interrupted } = this.#context;
    const client = this.#clientOf(server);
    const before = this.#folder;
    let loading: NodeJS.Timeout | undefined;
    const deployment = await openFolder(client, configPath, {
      port: this.#port,
      python: this.#options.python,
      requireKey: this.#options.requireKey,
      host: this.#options.host,
      signal: interrupted,
      onOpened: (opened) => {
        loading = setTimeout(() => this.#showLoading(client, opened), SLOW_MS);
      },
    }).finally(() => clearTimeout(loading));
    this.#folder = deployment;
    if (before === undefined && deployment.runtime.state === 'failed') {
      throw new Failure(failureSentence(deployment.runtime));
    }
    this.#port = Number(new URL(deployment.deployment_url).port);
    this.#announce(server, deployment);
    this.#follow(client, deployment);
    this.#debug(client, deployment);
  }

  async #serveAgain(server: RunningServer, configPath: string): Promise<void> {
    try {
      await this.#serve(server, configPath);
    } catch (error) {
      if (!this.#context.interrupted.aborted) this.#context.terminal.failure(explain(error));
    }
  }

  /** Shows what slow graphs print while they load. */
  #showLoading(client: HarborClient, deployment: LiveDeployment): void {
    const { terminal } = this.#context;
    if (!this.#options.json) terminal.line(terminal.colors.dim(loadingSentence(this.#options.configPath)));
    this.#follow(client, deployment);
  }

  #announce(server: RunningServer, deployment: LiveDeployment): void {
    const { terminal } = this.#context;
    const { deployment_url } = deployment;
    const { baseUrl, apiKey, pid } = server;
    if (this.#options.json) {
      if (this.#seenRuntime !== '') return;
      terminal.json({
        deployment_url,
        base_url: baseUrl,
        control_plane_url: baseUrl,
        api_key: apiKey,
        pid,
      });
    } else {
      const { dim, bold } = terminal.colors;
      terminal.line(`${dim('Agent        ')} ${bold(deployment_url)}`);
      terminal.line(`${dim('Platform     ')} ${baseUrl}`);
      terminal.line(`${dim('Control plane')} ${baseUrl}/v2`);
      terminal.line(`${dim('API key      ')} ${apiKey}`);
      if (this.#options.host !== undefined && deployment.requires_key) {
        terminal.line(
          `Other machines reach the agent on ${this.#options.host}, port ${this.#port}, with the API key. The connection is not encrypted.`,
        );
      }
    }
    this.#showRuntime(deployment);
    if (this.#options.json) return;
    const others = otherHolders(deployment, HOLDER);
    if (others !== undefined) terminal.line(`Also served by ${others}. The log is the same.`);
    terminal.line(terminal.colors.dim('Press Ctrl-C to stop.'));
  }

  /** Shows the state of the graphs if it has changed. */
  #showRuntime(deployment: LiveDeployment): void {
    const { terminal } = this.#context;
    const { runtime } = deployment;
    // Graphs that were loaded again unchanged are not reported.
    const seen = JSON.stringify({ ...runtime, load_id: undefined });
    if (seen === this.#seenRuntime || runtime.state === 'starting') return;
    const before = this.#runtime;
    this.#seenRuntime = seen;
    this.#runtime = runtime;
    if (!this.#options.json) {
      const lines =
        before === undefined
          ? runtimeLines(deployment, terminal.colors)
          : changedLines(before, runtime, terminal.colors);
      for (const line of lines) terminal.line(line);
      return;
    }
    if (runtime.state === 'failed') terminal.failure(failureSentence(runtime));
    if (runtime.state !== 'ready') return;
    for (const graph of runtime.graphs) {
      if (graph.status === 'failed') {
        terminal.failure(`graph '${graph.graph_id}': ${failureSentence(graph.error)}`);
      }
    }
  }

  async #handleChanges(foreground: Foreground, changes: readonly Change[]): Promise<void> {
    const id = this.#folder?.deployment_id;
    const { state } = foreground.presence;
    if (id === undefined || state.state !== 'connected') return;
    const ours = changes.filter((change) => change.resource === 'deployment' && change.id === id);
    if (ours.length === 0) return;
    if (ours.some(({ action }) => action === 'deleted')) {
      const message = `'${this.#folder?.name}' was deleted with its threads, and its folder is no longer served. Run agent-harbor dev to serve it again.`;
      foreground.fail(new Failure(message));
      return;
    }
    const params = { deployment_id: id };
    try {
      this.#showRuntime(await this.#clientOf(state.server).harbor.getFolder({ params }, { retries: 0 }));
    } catch {
      // The deployment was closed or the server is stopping; later events say which.
    }
  }

  #follow(client: HarborClient, deployment: LiveDeployment): void {
    if (this.#options.json || this.#followed === client) return;
    this.#followed = client;
    this.#following?.abort();
    const following = new AbortController();
    this.#following = following;
    const { terminal } = this.#context;
    // `followLiveLog` leaves out errors of loading, which are shown with the graphs.
    void followLiveLog(client, deployment.deployment_id, following.signal, (line) =>
      terminal.line(logText(line, terminal.colors)),
    );
  }

  #debug(client: HarborClient, deployment: LiveDeployment): void {
    if (this.#ports === undefined || this.#debugged === client) return;
    this.#debugged = client;
    const { terminal, interrupted } = this.#context;
    openDebuggers(client, deployment, this.#ports, terminal, interrupted).catch((error: unknown) => {
      // A lost server is reported when it is restarted.
      if (!interrupted.aborted && error instanceof RequestError && error.status === 409)
        terminal.failure(explain(error));
    });
  }

  #clientOf(server: RunningServer): HarborClient {
    if (this.#client?.server !== server) {
      this.#client = { server, client: harborOf(server, this.#context.dispatcher) };
    }
    return this.#client.client;
  }
}
