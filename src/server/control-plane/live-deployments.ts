import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import type { DebugEvent, PausedAt } from '../../contract/debugging.ts';
import type { GraphLocations, LiveDeployment } from '../../contract/harbor.ts';
import type { AgentServer } from '../agent-server/agent-server.ts';
import type { ServedDeployment } from '../agent-server/served-deployment.ts';
import type { Caller } from '../http/caller.ts';
import type { ChangeFeed } from '../http/change-feed.ts';
import { conflict, HttpError, invalid, notFound } from '../http/errors.ts';
import { PortTakenError } from '../http/origin.ts';
import type { Logger } from '../logger.ts';
import { LogBook } from '../runtimes/log-book.ts';
import type { StateDatabase } from '../storage/state-database.ts';
import type { DeploymentRow } from './deployments/deployment-store.ts';
import { locateGraph } from './locate-graph.ts';

/** The port of the first live deployment: where `langgraph dev` would be. */
const FIRST_PORT = 2024;

export interface LiveDeploymentsOptions {
  readonly db: StateDatabase;
  readonly changes: ChangeFeed;
  readonly logger: Logger;
  /** The key that runtimes send their traces with. */
  readonly tracingKey: string;
  makeAgentServer(deployment: ServedDeployment): AgentServer;
}

export interface OpenRequest {
  readonly config_path: string;
  readonly port?: number | undefined;
  readonly holder?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly python?: string | undefined;
  readonly require_key?: boolean | undefined;
}

/** What a debugger says of a process. */
type DebuggerNews =
  | { readonly state: 'attached' | 'running' }
  | { readonly state: 'paused'; readonly at: PausedAt };

/** Whoever opens without a name holds under this one. */
const NAMELESS = '';

interface Open {
  readonly row: DeploymentRow;
  readonly log: LogBook;
  readonly agentServer: AgentServer;
  /** Who opened it and has not closed it. */
  readonly holders: Set<string>;
  /** Whether it asks for a key: from when somebody wants that, also when they have gone. */
  requiresKey: boolean;
}

/** The agents of workspaces that are open in an editor or a terminal, served from disk as they stand. */
export class LiveDeployments {
  readonly #options: LiveDeploymentsOptions;
  readonly #open = new Map<string, Open>();
  /** Opening the same folder twice at once is one opening. */
  readonly #opening = new Map<string, Promise<LiveDeployment>>();
  /** By deployment: runs that one server still has must not be continued by its successor. */
  readonly #closing = new Map<string, Promise<void>>();

  constructor(options: LiveDeploymentsOptions) {
    this.#options = options;
  }

  get busy(): boolean {
    return [...this.#open.values()].some(({ agentServer }) => agentServer.busy);
  }

  /**
   * Serves the agent of a langgraph.json; one that is served already is only described.
   * @throws HttpError 422 for a path that is no file, 409 for a port another program has.
   */
  async open(caller: Caller, request: OpenRequest): Promise<LiveDeployment> {
    const configPath = request.config_path;
    if (!path.isAbsolute(configPath)) throw invalid(['body', 'config_path'], 'Must be an absolute path.');
    const real = await realpath(configPath).catch(() => {
      throw invalid(['body', 'config_path'], `File not found: ${configPath}.`);
    });
    const key = `${caller.workspaceId} ${real}`;
    const opening = this.#opening.get(key) ?? this.#openOnce(caller, real, request);
    this.#opening.set(key, opening);
    const deployment = await opening.finally(() => this.#opening.delete(key));
    const open = this.#open.get(deployment.deployment_id);
    if (open === undefined) return deployment;
    open.holders.add(request.holder ?? NAMELESS);
    open.requiresKey = request.require_key ?? open.requiresKey;
    return describe(open);
  }

  /** @throws HttpError 404 when it is not open. */
  get(caller: Caller, deploymentId: string): LiveDeployment {
    return describe(this.#require(caller, deploymentId));
  }

  /**
   * Where a graph and its nodes were written.
   * @throws HttpError 404 when the deployment is not open or has no such graph, 503 when its runtime cannot be asked.
   */
  async locateGraph(caller: Caller, deploymentId: string, graphId: string): Promise<GraphLocations> {
    return locateGraph(this.#require(caller, deploymentId).agentServer.runtime, graphId);
  }

  /**
   * Lets a debugger attach to the processes of a deployment.
   * @returns ends it.
   * @throws HttpError 404 when it is not open; DebuggedAlreadyError.
   */
  debug(caller: Caller, deploymentId: string, tell: (event: DebugEvent) => void): () => void {
    const open = this.#require(caller, deploymentId);
    const end = open.agentServer.runtime.debug(tell);
    this.#changed(open.row);
    return () => {
      end();
      this.#changed(open.row);
    };
  }

  /** What a debugger does with a process. @throws HttpError 404, NotDebuggedError */
  tellDebugged(caller: Caller, deploymentId: string, processId: number, told: DebuggerNews): void {
    const open = this.#require(caller, deploymentId);
    const { debugging } = open.agentServer.runtime;
    switch (told.state) {
      case 'attached':
        debugging.attached(processId);
        return;
      case 'paused':
        debugging.paused(processId, told.at);
        break;
      case 'running':
        debugging.goesOn(processId);
    }
    this.#changed(open.row);
  }

  /** The log of a deployment that is open. @throws HttpError 404 */
  log(caller: Caller, deploymentId: string): LogBook {
    return this.#require(caller, deploymentId).log;
  }

  /** The address of a deployment that is being served. */
  url(deploymentId: string): string | undefined {
    return this.#open.get(deploymentId)?.agentServer.url;
  }

  /** The ports of the deployments that are being served. */
  get ports(): number[] {
    return [...this.#open.values()].flatMap((open) => portOf(open) ?? []);
  }

  /** Loads the graphs anew. */
  async restart(caller: Caller, deploymentId: string): Promise<LiveDeployment> {
    const open = this.#require(caller, deploymentId);
    await open.agentServer.runtime.start();
    return describe(open);
  }

  /** Stops serving when nobody else holds it; everything stored stays. */
  async close(caller: Caller, deploymentId: string, holder = NAMELESS): Promise<void> {
    const open = this.#require(caller, deploymentId);
    open.holders.delete(holder);
    if (open.holders.size > 0) return;
    await this.#close(open);
    this.#changed(open.row);
  }

  /**
   * A holder has gone without closing what it had opened: that is closed now, unless somebody else holds it.
   * @returns false when a run is under way in one of its workspaces, which nothing is done about then.
   */
  release(holder: string): boolean {
    const held = [...this.#open.values()].filter(({ holders }) => holders.has(holder));
    if (held.some(({ agentServer }) => agentServer.busy)) return false;
    for (const open of held) {
      open.holders.delete(holder);
      if (open.holders.size > 0) continue;
      this.#options.logger.info({ deployment: open.row.name }, 'folder is no longer in use');
      this.#close(open).catch((error) => {
        this.#options.logger.error({ err: error, deployment: open.row.name }, 'could not close a folder');
      });
      this.#changed(open.row);
    }
    return true;
  }

  async closeAll(): Promise<void> {
    await Promise.all([
      ...this.#closing.values(),
      ...[...this.#open.values()].map((open) => this.#close(open)),
    ]);
  }

  #close({ row, agentServer }: Open): Promise<void> {
    this.#open.delete(row.id);
    const closing = agentServer.stop().finally(() => this.#closing.delete(row.id));
    this.#closing.set(row.id, closing);
    return closing;
  }

  async #openOnce(caller: Caller, configPath: string, request: OpenRequest): Promise<LiveDeployment> {
    const { port, env, python } = request;
    const row = await this.#rowFor(caller, configPath);
    await this.#closing.get(row.id)?.catch(() => {});
    const already = this.#open.get(row.id);
    if (already !== undefined) {
      if (port !== undefined && port !== 0 && port !== portOf(already)) {
        throw conflict(
          `This folder is already served at ${already.agentServer.url}. Stop that server first to use port ${port}.`,
        );
      }
      if (python !== undefined) already.agentServer.runtime.choosePython(python);
      return describe(already);
    }
    const log = new LogBook();
    const agentServer = this.#options.makeAgentServer({
      id: row.id,
      organizationId: caller.organizationId,
      workspaceId: caller.workspaceId,
      name: row.name,
      source: { configPath, environment: env, python },
      log,
      tracingKey: this.#options.tracingKey,
      requiresKey: () => open.requiresKey,
      onRuntimeState: () => this.#changed(row),
    });
    const open: Open = {
      row,
      log,
      agentServer,
      holders: new Set(),
      requiresKey: request.require_key === true,
    };
    try {
      await this.#listen(open, port);
    } catch (error) {
      await agentServer.stop();
      throw error;
    }
    this.#open.set(row.id, open);
    await this.#options.db
      .updateTable('deployments')
      .set({ port: portOf(open) ?? null, status: 'READY', updated_at: new Date().toISOString() })
      .where('id', '=', row.id)
      .execute();
    this.#changed(row);
    return describe(open);
  }

  /** An explicit port or nothing; otherwise the one used before, the first one's 2024, or any free one. */
  async #listen({ row, agentServer, log }: Open, wanted: number | undefined): Promise<void> {
    if (wanted !== undefined) {
      try {
        await agentServer.start(wanted);
      } catch (error) {
        if (error instanceof PortTakenError)
          throw new HttpError(409, `${error.message} Choose another port, or 0 for any free port.`);
        throw error;
      }
      return;
    }
    const first = row.port ?? (this.#open.size === 0 ? FIRST_PORT : 0);
    try {
      await agentServer.start(first);
    } catch (error) {
      if (!(error instanceof PortTakenError)) throw error;
      this.#options.logger.info({ port: first }, 'port in use, using another one');
      await agentServer.start(0);
      log.write(
        'WARNING',
        `Port ${first} is in use by another program. This agent is at ${agentServer.url}.`,
      );
    }
  }

  async #rowFor(caller: Caller, configPath: string): Promise<DeploymentRow> {
    const { db } = this.#options;
    const existing = await db
      .selectFrom('deployments')
      .selectAll()
      .where('config_path', '=', configPath)
      .where('workspace_id', '=', caller.workspaceId)
      .executeTakeFirst();
    if (existing !== undefined) return existing;
    const now = new Date().toISOString();
    const row: DeploymentRow = {
      id: uuidv7(),
      workspace_id: caller.workspaceId,
      name: path.basename(path.dirname(configPath)),
      source: 'workspace',
      source_config: JSON.stringify({}),
      source_revision_config: JSON.stringify({ platform_config_path: configPath }),
      status: 'READY',
      latest_revision_id: null,
      active_revision_id: null,
      port: null,
      config_path: configPath,
      secret_set_id: null,
      secret_references: null,
      sealed_key: null,
      sealed_webhook_secret: null,
      created_at: now,
      updated_at: now,
    };
    await db.insertInto('deployments').values(row).execute();
    return row;
  }

  #require(caller: Caller, deploymentId: string): Open {
    const open = this.#open.get(deploymentId);
    if (open === undefined || open.row.workspace_id !== caller.workspaceId)
      throw notFound('Open workspace', deploymentId);
    return open;
  }

  #changed(row: DeploymentRow): void {
    this.#options.changes.publish(row.workspace_id, {
      resource: 'deployment',
      action: 'updated',
      id: row.id,
    });
  }
}

function describe({ row, agentServer, requiresKey }: Open): LiveDeployment {
  const { debugging } = agentServer.runtime;
  const { pausedAt } = debugging;
  return {
    deployment_id: row.id,
    name: row.name,
    config_path: row.config_path ?? '',
    deployment_url: agentServer.url ?? '',
    requires_key: requiresKey,
    runtime: agentServer.runtime.state,
    ...(debugging.isActive ? { debugging: { ...(pausedAt === undefined ? {} : { paused: pausedAt }) } } : {}),
  };
}

function portOf({ agentServer }: Open): number | undefined {
  return agentServer.url === undefined ? undefined : Number(new URL(agentServer.url).port);
}
