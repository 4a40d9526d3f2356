import { v7 as uuidv7 } from 'uuid';
import type {
  Deployment,
  DeploymentCreate,
  DeploymentFilter,
  DeploymentPatch,
} from '../../../contract/control-plane/deployments.ts';
import type { DeploymentSource, SourceConfig } from '../../../contract/control-plane/sources.ts';
import type { AgentServers } from '../../agent-server/agent-servers.ts';
import { PAUSES_CHANGED } from '../../agent-server/paused-deployments.ts';
import type { OpenFolders } from '../../folders/open-folders.ts';
import type { Caller } from '../../http/caller.ts';
import type { ChangeFeed } from '../../http/change-feed.ts';
import { badRequest, forbidden, HttpError } from '../../http/errors.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { Builder } from '../builds/builder.ts';
import type { Uploads } from '../builds/uploads.ts';
import type { DeploymentRow, DeploymentStore } from '../data/deployment-store.ts';
import { readRevisionConfig, readSourceConfig, toDeployment } from '../data/deployment-wire.ts';
import type { LogStore } from '../data/log-store.ts';
import type { RevisionRow, RevisionStore } from '../data/revision-store.ts';
import type { NewRevisions } from '../revisions/new-revisions.ts';
import type { PushWatcher } from '../revisions/push-watcher.ts';
import type { RevisionPipeline } from '../revisions/revision-pipeline.ts';
import type { DeploymentKeys } from '../secrets/deployment-keys.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import type { DeploymentServers } from '../serving/deployment-servers.ts';
import type { IsolationPolicy } from '../serving/isolation-policy.ts';
import type { FindsTool } from './check-source.ts';
import { notUploaded, readChangedSource, readNewSource, type Source } from './read-source.ts';

export interface DeploymentsOptions {
  readonly db: StateDatabase;
  readonly stores: DeploymentStores;
  readonly revisions: RevisionParts;
  readonly serving: ServingParts;
  readonly builder: Builder;
  readonly tools: FindsTool;
  readonly isolation: Pick<IsolationPolicy, 'isolates'>;
  readonly keys: DeploymentKeys;
  /** The tracing projects of deployments, each with the name of its deployment. */
  readonly projects: DeploymentProjects;
  readonly changes: ChangeFeed;
  /** Refuses kinds of sources that this server cannot deploy. @throws HttpError 400 */
  checkSourceKind(source: DeploymentSource): void;
  /** The address of a deployment on any server of a team; undefined without a team. */
  readonly agentUrl: ((deploymentId: string) => string) | undefined;
}

/** The stores of deployments. */
interface DeploymentStores {
  readonly deployments: DeploymentStore;
  readonly revisions: RevisionStore;
  readonly secrets: SecretStore;
  readonly uploads: Uploads;
  readonly logs: Pick<LogStore, 'write'>;
}

/** The parts that create and process revisions. */
interface RevisionParts {
  readonly newRevisions: NewRevisions;
  readonly pipeline: RevisionPipeline;
  readonly watcher: PushWatcher;
}

/** The parts that serve deployments. */
interface ServingParts {
  readonly agents: AgentServers;
  readonly built: DeploymentServers;
  readonly folders: OpenFolders;
}

export interface DeploymentProjects {
  /** Creates a project, unless it exists. */
  ensure(workspaceId: string, name: string): Promise<void>;
  delete(workspaceId: string, name: string): Promise<void>;
}

/** A new deployment to store. */
interface ToInsert {
  readonly id: string;
  readonly body: DeploymentCreate;
  readonly source: Source;
  /** The values of the deployment's secrets, by name. */
  readonly values: Readonly<Record<string, string>>;
  /** The deployment's API key, encrypted. */
  readonly key: Uint8Array;
}

/** Creates, changes and deletes deployments (docs/interface/control-plane.md#deployments). */
export class Deployments {
  readonly #options: DeploymentsOptions;
  /** Deployments that are being deleted here, by ID. */
  readonly #removing = new Map<string, Promise<void>>();

  constructor(options: DeploymentsOptions) {
    this.#options = options;
  }

  async list(caller: Caller, filter: DeploymentFilter): Promise<Deployment[]> {
    const rows = await this.#options.stores.deployments.list(caller.workspaceId, filter);
    const names = await this.#options.stores.secrets.readNames(rows.map((row) => row.secret_set_id));
    return rows.map((row) => toDeployment(row, this.#url(row), names.get(row.secret_set_id ?? '') ?? []));
  }

  async get(caller: Caller, id: string): Promise<Deployment> {
    return this.#describe(await this.require(caller, id));
  }

  /** @throws HttpError 404 with the public control plane's message. */
  async require(caller: Caller, id: string): Promise<DeploymentRow> {
    const row = await this.#options.stores.deployments.find(caller.workspaceId, id);
    if (row === undefined) throw new HttpError(404, `Deployment ID ${id} not found.`);
    return row;
  }

  /** @throws HttpError 400 for an existing name and for unsupported sources, 422 for an invalid source. */
  async create(caller: Caller, body: DeploymentCreate): Promise<Deployment> {
    const { stores, revisions, keys, projects } = this.#options;
    const source = await readNewSource(caller, body, this.#options.tools);
    this.#requireIsolation(caller, body.source, source.sourceConfig);
    this.#options.checkSourceKind(body.source);
    const values = await stores.secrets.resolve(body.secrets, null);
    // The project comes first: if it failed later, a revision would be stored that nobody builds.
    await projects.ensure(caller.workspaceId, body.name);
    const id = uuidv7();
    const key = await keys.create(caller, { id, name: body.name });
    const revisionId = await this.#insert(caller, { id, body, source, values, key }).catch(
      async (error: unknown) => {
        await keys.revoke(id);
        throw error;
      },
    );
    if (body.source_config.custom_url) {
      const ignored = `custom_url (${body.source_config.custom_url}) is ignored. This server assigns the URL of a deployment.`;
      stores.logs.write({ deploymentId: id, revisionId, stream: 'build' }, 'WARNING', ignored);
    }
    this.#publish(caller.workspaceId, id, 'created');
    await revisions.watcher.watch(await this.require(caller, id));
    revisions.pipeline.notice(id);
    return this.get(caller, id);
  }

  /** Stores a deployment with its first revision. @returns the revision's ID. @throws HttpError 400 for an existing name. */
  #insert({ workspaceId }: Caller, { id, body, source, values, key }: ToInsert): Promise<string> {
    const { db, stores, revisions } = this.#options;
    const { sourceConfig, revisionConfig } = source;
    const now = new Date().toISOString();
    return db.transaction().execute(async (transaction) => {
      const isInserted = await stores.deployments.insertBuilt(transaction, {
        id,
        workspace_id: workspaceId,
        name: body.name,
        source: body.source,
        source_config: JSON.stringify(sourceConfig),
        source_revision_config: JSON.stringify(revisionConfig),
        status: 'UNUSED',
        latest_revision_id: null,
        active_revision_id: null,
        port: null,
        config_path: null,
        secret_set_id: null,
        secret_references: body.secret_references == null ? null : JSON.stringify(body.secret_references),
        sealed_key: key,
        sealed_webhook_secret: null,
        created_at: now,
        updated_at: now,
      });
      if (!isInserted) {
        const taken = await stores.deployments.findBuilt(transaction, workspaceId, body.name);
        throw badRequest(
          `Deployment '${body.name}' already exists (${taken?.id}). Update it, or choose another name.`,
        );
      }
      const revision = await revisions.newRevisions.insert(transaction, {
        deploymentId: id,
        source: body.source,
        sourceConfig,
        sourceRevisionConfig: revisionConfig,
        secretSetId: await stores.secrets.store(transaction, id, values),
        buildKey: null,
      });
      return revision.id;
    });
  }

  /** @throws HttpError 404; 400 for fields that cannot be changed; 422 for an invalid source. */
  async update(caller: Caller, id: string, patch: DeploymentPatch): Promise<Deployment> {
    const { revisions } = this.#options;
    let made: 'revision' | 'nothing' | undefined;
    // If another request changes the deployment concurrently, its change is kept, and the patch is applied on top.
    while (made === undefined) made = await this.#tryUpdate(caller, await this.require(caller, id), patch);
    this.#publish(caller.workspaceId, id, 'updated');
    await revisions.watcher.watch(await this.require(caller, id));
    if (made === 'revision') revisions.pipeline.notice(id);
    return this.get(caller, id);
  }

  /**
   * Applies a patch to a deployment.
   * @param row the deployment on which the patch is based.
   * @returns `revision` if the patch created a revision, and otherwise `nothing`; undefined if the deployment
   * has changed since `row` was read, so that the patch was not applied.
   */
  async #tryUpdate(
    caller: Caller,
    row: DeploymentRow,
    patch: DeploymentPatch,
  ): Promise<'revision' | 'nothing' | undefined> {
    const { db, stores, revisions, tools } = this.#options;
    const { id } = row;
    const { sourceConfig, revisionConfig, outcome } = await readChangedSource(caller, row, patch, tools);
    this.#requireIsolation(caller, row.source, sourceConfig);
    const tarball = patch.source_revision_config?.source_tarball_path;
    if (tarball && !(await stores.uploads.has(id, tarball))) throw notUploaded();
    const values =
      patch.secrets == null ? undefined : await stores.secrets.resolve(patch.secrets, row.secret_set_id);
    const kept = outcome === 'rollout' && values === undefined ? await this.#keptBuild(row) : undefined;
    return db.transaction().execute(async (transaction) => {
      if (!isAsItWas(row, await stores.deployments.hold(id, transaction))) return undefined;
      const secretSetId =
        values === undefined ? row.secret_set_id : await stores.secrets.store(transaction, id, values);
      const changed = {
        source_config: JSON.stringify(sourceConfig),
        source_revision_config: JSON.stringify(revisionConfig),
        ...(patch.secret_references == null
          ? {}
          : { secret_references: JSON.stringify(patch.secret_references) }),
      };
      await stores.deployments.update(id, changed, transaction);
      if (outcome === 'nothing' && values === undefined) return 'nothing';
      await revisions.newRevisions.insert(transaction, {
        deploymentId: id,
        source: row.source,
        sourceConfig,
        sourceRevisionConfig: kept ? readRevisionConfig(kept.source_revision_config) : revisionConfig,
        secretSetId,
        buildKey: kept?.build_key ?? null,
      });
      return 'revision';
    });
  }

  /**
   * The revision whose build is kept when a change only affects how it is served: the live one. Undefined if
   * a newer revision was meant to replace that one, or there is no live revision.
   */
  async #keptBuild(row: DeploymentRow): Promise<RevisionRow | undefined> {
    const { id, active_revision_id: live, latest_revision_id: latest } = row;
    if (live === null || live !== latest) return undefined;
    return this.#options.stores.revisions.find(id, live);
  }

  /**
   * Deploys a revision again as a new one.
   * @throws HttpError 404, or 400 when it was never built.
   */
  async redeploy(caller: Caller, id: string, revisionId: string): Promise<Deployment> {
    const row = await this.requireChangeable(caller, id);
    await this.#options.revisions.newRevisions.repeat(row, await this.requireRevision(row, revisionId));
    return this.get(caller, id);
  }

  /**
   * A deployment to which the caller may deploy code.
   * @throws HttpError 404; 403 from within a container if the deployment is not isolated.
   */
  async requireChangeable(caller: Caller, id: string): Promise<DeploymentRow> {
    const row = await this.require(caller, id);
    this.#requireIsolation(caller, row.source, readSourceConfig(row.source_config));
    return row;
  }

  /**
   * Requires that code deployed from within a container runs in a container, so that isolated code cannot
   * escape its isolation.
   * @throws HttpError 403
   */
  #requireIsolation({ isFromContainer }: Caller, source: string, config: SourceConfig): void {
    if (isFromContainer !== true || source === 'external_docker' || this.#options.isolation.isolates(config))
      return;
    throw forbidden(
      'Code that is deployed from a container must run in one. Set source_config.isolation to "container".',
    );
  }

  /** A revision of a deployment. @throws HttpError 404 */
  async requireRevision(row: DeploymentRow, revisionId: string): Promise<RevisionRow> {
    const revision = await this.#options.stores.revisions.find(row.id, revisionId);
    if (revision === undefined) throw new HttpError(404, `Revision ID ${revisionId} not found.`);
    return revision;
  }

  /**
   * Pauses or resumes the runs of a deployment on all servers that serve it.
   * @throws HttpError 404; 400 for an image, because its container starts the runs.
   */
  async setPaused(caller: Caller, id: string, isPaused: boolean): Promise<Deployment> {
    const { db, stores } = this.#options;
    const row = await this.require(caller, id);
    if (row.source === 'external_docker')
      throw badRequest('Deployments from images cannot be paused, because their containers start the runs.');
    if ((row.paused_at !== null) !== isPaused) {
      await stores.deployments.update(id, { paused_at: isPaused ? new Date().toISOString() : null });
      db.bus.hint(PAUSES_CHANGED);
      this.#publish(caller.workspaceId, id, 'updated');
    }
    return this.get(caller, id);
  }

  /** Deletes a deployment, and also its tracing project if `deletesProject` is set. @throws HttpError 404 */
  async delete(caller: Caller, id: string, { deletesProject = false } = {}): Promise<void> {
    const row = await this.require(caller, id);
    if (row.config_path !== null) await this.#options.serving.folders.end(id);
    await this.#remove(row);
    if (deletesProject) await this.#options.projects.delete(caller.workspaceId, row.name);
  }

  /**
   * Finishes deletions that an earlier server has begun.
   * @param isLeft whether no other server is finishing the deletion of a deployment.
   */
  async recover(isLeft: (id: string) => boolean = () => true): Promise<void> {
    for (const row of await this.#options.stores.deployments.listBuilt()) {
      const isUnderWay = this.#removing.has(row.id) || !isLeft(row.id);
      if (row.status === 'AWAITING_DELETE' && !isUnderWay) await this.#remove(row);
    }
  }

  /** Removes a deployment; concurrent calls share one removal. */
  #remove(row: DeploymentRow): Promise<void> {
    const underWay = this.#removing.get(row.id);
    if (underWay !== undefined) return underWay;
    const removing = this.#removeNow(row).finally(() => this.#removing.delete(row.id));
    this.#removing.set(row.id, removing);
    return removing;
  }

  async #removeNow(row: DeploymentRow): Promise<void> {
    const { stores, revisions, serving, builder, keys } = this.#options;
    const { id } = row;
    await stores.deployments.update(id, { status: 'AWAITING_DELETE' });
    await revisions.watcher.forget(id);
    await revisions.pipeline.abandon(id, async () => {
      await serving.built.remove(row);
      await builder.removeAll(id);
      await keys.revoke(id);
      await stores.deployments.delete(id);
    });
    this.#publish(row.workspace_id, id, 'deleted');
  }

  async #describe(row: DeploymentRow): Promise<Deployment> {
    const names = await this.#options.stores.secrets.readNames([row.secret_set_id]);
    return toDeployment(row, this.#url(row), names.get(row.secret_set_id ?? '') ?? []);
  }

  #url(row: DeploymentRow): string | undefined {
    const { agentUrl, serving } = this.#options;
    if (agentUrl === undefined) return serving.agents.urlOf(row.id);
    return row.active_revision_id === null ? undefined : agentUrl(row.id);
  }

  #publish(workspaceId: string, id: string, action: 'created' | 'updated' | 'deleted'): void {
    this.#options.changes.publish(workspaceId, { resource: 'deployment', action, id });
  }
}

/** The columns that a patch depends on. If one has changed, the patch is applied again. */
const BASIS = [
  'source_config',
  'source_revision_config',
  'secret_set_id',
  'active_revision_id',
  'latest_revision_id',
] as const satisfies (keyof DeploymentRow)[];

function isAsItWas(row: DeploymentRow, now: DeploymentRow | undefined): boolean {
  return now !== undefined && BASIS.every((name) => now[name] === row[name]);
}
