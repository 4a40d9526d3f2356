import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { DebugEvent, PausedAt } from '../../contract/debugging.ts';
import type { GraphLocations, LiveDeployment } from '../../contract/harbor.ts';
import { fileSystemCode } from '../../process/error-codes.ts';
import type { AgentServer } from '../agent-server/agent-server.ts';
import type { AgentServers, PlaceToServe } from '../agent-server/agent-servers.ts';
import type { ServedDeployment } from '../agent-server/served-deployment.ts';
import type { Caller } from '../http/caller.ts';
import type { ChangeFeed } from '../http/change-feed.ts';
import { conflict, HttpError, invalid, notFound } from '../http/errors.ts';
import { PortTakenError } from '../http/origin.ts';
import type { Logger } from '../logger.ts';
import { LogBook } from '../runtimes/output/log-book.ts';
import type { RuntimeConnection } from '../runtimes/process/runtime-process.ts';
import { askEvaluators, type EvaluatorFile } from './ask-evaluators.ts';
import type { FolderRow, FolderStore } from './folder-store.ts';
import { locateGraph } from './locate-graph.ts';

/** The port of the first folder, the same as that of `langgraph dev`. */
const FIRST_PORT = 2024;
/** The system's errors for an address that this machine does not have: an unknown one, or IPv6 without IPv6. */
const NOT_HERE: readonly string[] = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'];

export interface OpenFoldersOptions {
  readonly store: FolderStore;
  readonly agents: AgentServers;
  readonly changes: ChangeFeed;
  readonly logger: Logger;
  /** The key with which runtimes send their traces. */
  readonly tracingKey: string;
  makeAgentServer(deployment: ServedDeployment): AgentServer;
}

/** A request to open a folder; see `harbor.openFolder` in the contract. */
export interface OpenRequest {
  readonly config_path: string;
  readonly port?: number | undefined;
  readonly holder?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly stand_ins?: Readonly<Record<string, string>> | undefined;
  readonly python?: string | undefined;
  readonly require_key?: boolean | undefined;
  readonly host?: string | undefined;
}

/** The state of a debugged process, as the editor reports it. */
type DebuggedState =
  | { readonly state: 'attached' | 'running' }
  | { readonly state: 'paused'; readonly at: PausedAt };

/** The holder of folders that clients open without a name. */
const ANONYMOUS = '';

/** An open folder. */
interface Open {
  readonly row: FolderRow;
  readonly agentServer: AgentServer;
  /** The names of clients that have opened the folder and not closed it. */
  readonly holders: Set<string>;
  /** Whether the agent requires a key; set by a client, and kept after that client has left. */
  requiresKey: boolean;
  /** The network address on which the agent listens besides loopback. */
  readonly host: string | undefined;
  /** Ends the session of the editor that is debugging the agent, if there is one. */
  endDebugging: (() => void) | undefined;
}

/** An editor that debugs the processes of a deployment. */
interface DebuggingEditor {
  tell(event: DebugEvent): void;
  /** Called when the folder has been closed. */
  end(): void;
  /** A folder that contains debugpy, for Python environments without it. */
  readonly debugpy: string | undefined;
}

/** Serves the agents of folders that are open in an editor or a terminal, from the files on disk. */
export class OpenFolders {
  readonly #options: OpenFoldersOptions;
  /** The open folders by deployment. */
  readonly #open = new Map<string, Open>();
  /** Folders being opened; concurrent requests share one opening. */
  readonly #opening = new Map<string, Promise<LiveDeployment>>();

  constructor(options: OpenFoldersOptions) {
    this.#options = options;
  }

  /**
   * Serves the agent of a langgraph.json, or describes it if it is already served.
   * @throws HttpError 422 for a path that does not exist, or a host that is no address of this machine; 409
   * for a port that another program uses, or if the folder is already served at another port or host.
   */
  async open(caller: Caller, request: OpenRequest): Promise<LiveDeployment> {
    const configPath = request.config_path;
    if (!path.isAbsolute(configPath)) throw invalid(['body', 'config_path'], 'Must be an absolute path.');
    const real = await realpath(configPath).catch(() => {
      throw invalid(['body', 'config_path'], `File not found: ${configPath}.`);
    });
    const key = `${caller.workspaceId} ${real}`;
    const others = this.#opening.get(key);
    const opening = others ?? this.#openOnce(caller, real, request);
    this.#opening.set(key, opening);
    const deployment = await opening.finally(() => this.#opening.delete(key));
    const open = this.#open.get(deployment.deployment_id);
    if (open === undefined) return deployment;
    if (others !== undefined) updateOpen(open, request);
    open.holders.add(request.holder ?? ANONYMOUS);
    open.requiresKey = open.host !== undefined || (request.require_key ?? open.requiresKey);
    return describe(open);
  }

  /** Describes an open folder. @throws HttpError 404 when it is not open. */
  get(caller: Caller, deploymentId: string): LiveDeployment {
    return describe(this.#require(caller, deploymentId));
  }

  /** Resolves when the graphs of a deployment have loaded or failed to. @throws HttpError 404 when it is not open. */
  whenLoaded(caller: Caller, deploymentId: string): Promise<void> {
    return this.#require(caller, deploymentId).agentServer.runtime.loading;
  }

  /**
   * Where a graph and its nodes are defined.
   * @throws HttpError 404 when the deployment is not open or has no such graph, 503 when its runtime does not answer.
   */
  async locateGraph(caller: Caller, deploymentId: string, graphId: string): Promise<GraphLocations> {
    return locateGraph(this.#require(caller, deploymentId).agentServer.runtime, graphId);
  }

  /**
   * Sends a request to the process that runs the evaluators in a file in a deployment's folder.
   * @throws HttpError 404 when the deployment is not open; see `askEvaluators`.
   */
  async askEvaluators<Result>(
    caller: Caller,
    deploymentId: string,
    file: EvaluatorFile,
    question: (connection: RuntimeConnection, absolute: string) => Promise<Result>,
  ): Promise<Result> {
    const { row, agentServer } = this.#require(caller, deploymentId);
    return askEvaluators(agentServer.runtime, path.dirname(row.config_path ?? ''), file, question);
  }

  /**
   * Lets a debugger attach to the processes of a deployment.
   * @returns a function that ends the debugging.
   * @throws HttpError 404 when the deployment is not open; DebuggedAlreadyError.
   */
  debug(caller: Caller, deploymentId: string, editor: DebuggingEditor): () => void {
    const open = this.#require(caller, deploymentId);
    const end = open.agentServer.runtime.debug((event) => editor.tell(event), editor.debugpy);
    open.endDebugging = () => editor.end();
    this.#publish(open.row);
    return () => {
      open.endDebugging = undefined;
      end();
      this.#publish(open.row);
    };
  }

  /** Notes the state of a debugged process. @throws HttpError 404, NotDebuggedError */
  tellDebugged(caller: Caller, deploymentId: string, processId: number, told: DebuggedState): void {
    const open = this.#require(caller, deploymentId);
    const { debugging } = open.agentServer.runtime;
    switch (told.state) {
      case 'attached':
        debugging.noteAttached(processId);
        return;
      case 'paused':
        debugging.notePaused(processId, told.at);
        break;
      case 'running':
        debugging.noteResumed(processId);
    }
    this.#publish(open.row);
  }

  /** The log of an open deployment. @throws HttpError 404 */
  log(caller: Caller, deploymentId: string): LogBook {
    return this.#require(caller, deploymentId).agentServer.log;
  }

  /** Loads the graphs of a folder again. @throws HttpError 404 */
  async restart(caller: Caller, deploymentId: string): Promise<LiveDeployment> {
    const open = this.#require(caller, deploymentId);
    await open.agentServer.runtime.start();
    return describe(open);
  }

  /** Closes a folder for a client. If no other client uses it, it is no longer served; stored data is kept. */
  async close(caller: Caller, deploymentId: string, holder = ANONYMOUS): Promise<void> {
    const open = this.#require(caller, deploymentId);
    open.holders.delete(holder);
    if (open.holders.size > 0) return;
    await this.#close(open);
    this.#publish(open.row);
  }

  /** Stops serving a folder for all clients. */
  async end(deploymentId: string): Promise<void> {
    const open = this.#open.get(deploymentId);
    if (open !== undefined) await this.#close(open);
  }

  /**
   * Closes the folders of a client that has left, unless other clients use them.
   * @returns false if a run is in progress in one of its folders, in which case nothing is closed.
   */
  release(holder: string): boolean {
    const { logger } = this.#options;
    const held = [...this.#open.values()].filter(({ holders }) => holders.has(holder));
    if (held.some(({ agentServer }) => agentServer.busy)) return false;
    for (const open of held) {
      open.holders.delete(holder);
      if (open.holders.size > 0) continue;
      const deployment = open.row.name;
      logger.info({ deployment }, 'folder is no longer in use');
      this.#close(open).catch((err) => logger.error({ err, deployment }, 'could not close a folder'));
      this.#publish(open.row);
    }
    return true;
  }

  #close({ row, endDebugging }: Open): Promise<void> {
    this.#open.delete(row.id);
    endDebugging?.();
    return this.#options.agents.stop(row.id);
  }

  async #openOnce(caller: Caller, configPath: string, request: OpenRequest): Promise<LiveDeployment> {
    const { port, env, python, stand_ins: standIns } = request;
    const host = networkHostIn(request);
    const { store, agents, tracingKey, makeAgentServer } = this.#options;
    const row = await store.findOrInsert(caller.workspaceId, configPath);
    const already = this.#open.get(row.id);
    if (already !== undefined) {
      updateOpen(already, request);
      return describe(already);
    }
    const agentServer = makeAgentServer({
      id: row.id,
      organizationId: caller.organizationId,
      workspaceId: caller.workspaceId,
      name: row.name,
      source: {
        configPath,
        environment: env,
        standIns,
        python,
      },
      log: new LogBook(),
      tracingKey,
      requiresKey: () => open.requiresKey,
      host,
      onRuntimeState: () => this.#publish(row),
    });
    const open: Open = {
      row,
      agentServer,
      holders: new Set(),
      requiresKey: request.require_key === true || host !== undefined,
      host,
      endDebugging: undefined,
    };
    await agents.start(row.id, agentServer, this.#placeFor(row, port)).catch((error: unknown) => {
      if (NOT_HERE.includes(fileSystemCode(error) ?? ''))
        throw invalid(['body', 'host'], `${host} is not an address of this machine.`);
      if (!(error instanceof PortTakenError)) throw error;
      throw new HttpError(409, `${error.message} Choose another port, or 0 for any free port.`);
    });
    this.#open.set(row.id, open);
    await store.setReady(row.id, agentServer.port ?? null);
    this.#publish(row);
    return describe(open);
  }

  /** The port to try: the requested one, which must be free; otherwise the previous one, 2024 for the first folder, or any. */
  #placeFor(row: FolderRow, wanted: number | undefined): PlaceToServe {
    if (wanted !== undefined) return { port: wanted, whenTaken: 'fail' };
    return { port: row.port ?? (this.#open.size === 0 ? FIRST_PORT : 0), whenTaken: 'another' };
  }

  #require(caller: Caller, deploymentId: string): Open {
    const open = this.#open.get(deploymentId);
    if (open === undefined || open.row.workspace_id !== caller.workspaceId)
      throw notFound('Open folder', deploymentId);
    return open;
  }

  #publish(row: FolderRow): void {
    this.#options.changes.publish(row.workspace_id, {
      resource: 'deployment',
      action: 'updated',
      id: row.id,
    });
  }
}

/**
 * Applies a further request to a folder that is already open: its interpreter and stand-ins, but not its
 * environment.
 * @throws HttpError 409 if the request names another port or host.
 */
function updateOpen({ agentServer, host }: Open, request: OpenRequest): void {
  const { port, python, stand_ins: standIns } = request;
  if (port !== undefined && port !== 0 && port !== agentServer.port) {
    throw conflict(
      `This folder is already served at ${agentServer.url}. Stop that server first to use port ${port}.`,
    );
  }
  if (request.host !== undefined && networkHostIn(request) !== host) {
    throw conflict(
      `This folder is already served at ${agentServer.url}, with another host. Stop that server first.`,
    );
  }
  if (python !== undefined) agentServer.runtime.choosePython(python);
  if (standIns !== undefined) agentServer.runtime.standIn(standIns);
}

/**
 * The network address that a request names; undefined for none, and for loopback, where every agent
 * listens.
 */
function networkHostIn({ host }: OpenRequest): string | undefined {
  const isLoopback = host === '::1' || host?.startsWith('127.');
  return isLoopback ? undefined : host;
}

function describe({ row, agentServer, requiresKey, holders }: Open): LiveDeployment {
  const { debugging } = agentServer.runtime;
  const { pausedAt } = debugging;
  return {
    deployment_id: row.id,
    name: row.name,
    config_path: row.config_path ?? '',
    deployment_url: agentServer.url ?? '',
    requires_key: requiresKey,
    holders: [...holders],
    runtime: agentServer.runtime.state,
    ...(debugging.isActive ? { debugging: { ...(pausedAt === undefined ? {} : { paused: pausedAt }) } } : {}),
  };
}
