import { v7 as uuidv7 } from 'uuid';
import type {
  Deployment,
  DeploymentCreate,
  DeploymentFilter,
  DeploymentPatch,
} from '../../../contract/control-plane/deployments.ts';
import type {
  SourceConfig,
  SourceConfigRequest,
  SourceRevisionConfig,
  SourceRevisionConfigRequest,
} from '../../../contract/control-plane/sources.ts';
import type { AgentServers } from '../../agent-server/agent-servers.ts';
import type { OpenFolders } from '../../folders/open-folders.ts';
import type { Caller } from '../../http/caller.ts';
import type { ChangeFeed } from '../../http/change-feed.ts';
import { badRequest, HttpError } from '../../http/errors.ts';
import type { Identity } from '../../identity/identity.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { Builder } from '../builds/builder.ts';
import type { LogStore } from '../logs/log-store.ts';
import type { RevisionPipeline } from '../revisions/revision-pipeline.ts';
import type { RevisionRow, RevisionStore } from '../revisions/revision-store.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import type { DeploymentServers } from '../serving/deployment-servers.ts';
import { checkSource, noImages } from './check-source.ts';
import type { DeploymentRow, DeploymentStore } from './deployment-store.ts';
import { readRevisionConfig, readSourceConfig, toDeployment } from './deployment-wire.ts';
import { keyName } from './key-name.ts';
import type { Uploads } from './uploads.ts';

export interface DeploymentsOptions {
  readonly db: StateDatabase;
  readonly store: DeploymentStore;
  readonly revisions: RevisionStore;
  readonly secrets: SecretStore;
  readonly box: SecretBox;
  readonly identity: Identity;
  readonly pipeline: RevisionPipeline;
  readonly servers: DeploymentServers;
  readonly agents: AgentServers;
  readonly folders: OpenFolders;
  readonly builder: Builder;
  readonly uploads: Uploads;
  readonly changes: ChangeFeed;
  readonly logs: Pick<LogStore, 'write'>;
  /** The tracing project of a deployment, which has its name. */
  readonly projects: DeploymentProjects;
  /** Told after a deployment was made or changed, and before it goes. */
  readonly watched: { changed(row: DeploymentRow): Promise<void>; deleted(id: string): Promise<void> };
}

export interface DeploymentProjects {
  ensure(workspaceId: string, name: string): Promise<void>;
  delete(workspaceId: string, name: string): Promise<void>;
}

/** Creates, changes and deletes deployments (docs/interface/control-plane.md#deployments). */
export class Deployments {
  readonly #options: DeploymentsOptions;

  constructor(options: DeploymentsOptions) {
    this.#options = options;
  }

  async list(caller: Caller, filter: DeploymentFilter): Promise<Deployment[]> {
    const rows = await this.#options.store.list(caller.workspaceId, filter);
    const names = await this.#options.secrets.names(rows.map((row) => row.secret_set_id));
    return rows.map((row) => toDeployment(row, this.#url(row), names.get(row.secret_set_id ?? '') ?? []));
  }

  async get(caller: Caller, id: string): Promise<Deployment> {
    return this.#describe(await this.require(caller, id));
  }

  /** @throws HttpError 404 in the public control plane's own words. */
  async require(caller: Caller, id: string): Promise<DeploymentRow> {
    const row = await this.#options.store.find(caller.workspaceId, id);
    if (row === undefined) throw new HttpError(404, `Deployment ID ${id} not found.`);
    return row;
  }

  /** @throws HttpError 400 for images and for a name that is taken, 422 for a source that cannot be right. */
  async create(caller: Caller, body: DeploymentCreate): Promise<Deployment> {
    const { db, store, revisions, secrets, box, identity, projects, logs } = this.#options;
    const sourceConfig = { ...withoutNulls(body.source_config), custom_url: null };
    const revisionConfig = revisionConfigOf(body.source_revision_config);
    await checkSource(body.source, sourceConfig, revisionConfig, body.source_revision_config);
    if (revisionConfig.source_tarball_path) throw notUploaded();
    const values = await secrets.resolve(body.secrets, null);
    const id = uuidv7();
    const now = new Date().toISOString();
    const key = await identity.createKey({
      organizationId: caller.organizationId,
      workspaceIds: [caller.workspaceId],
      name: keyName(id),
    });
    const revisionId = await db
      .transaction()
      .execute(async (transaction) => {
        const taken = await store.findBuilt(transaction, caller.workspaceId, body.name);
        if (taken !== undefined) {
          throw badRequest(
            `Deployment '${body.name}' already exists (${taken.id}). Update it, or choose another name.`,
          );
        }
        await transaction
          .insertInto('deployments')
          .values({
            id,
            workspace_id: caller.workspaceId,
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
            sealed_key: box.seal(key, `deployment key ${id}`),
            sealed_webhook_secret: null,
            created_at: now,
            updated_at: now,
          })
          .execute();
        const secretSetId = await secrets.store(transaction, id, values);
        const revision = await revisions.insert(transaction, {
          deploymentId: id,
          source: body.source,
          sourceConfig,
          sourceRevisionConfig: revisionConfig,
          secretSetId,
          buildKey: null,
        });
        const made = { latest_revision_id: revision.id, secret_set_id: secretSetId };
        await store.update(id, made, transaction);
        return revision.id;
      })
      .catch(async (error: unknown) => {
        await identity.revokeKeysNamed(keyName(id));
        throw error;
      });
    if (body.source_config.custom_url) {
      const ignored = `custom_url (${body.source_config.custom_url}) is ignored. This server assigns the URL of a deployment.`;
      logs.write({ deploymentId: id, revisionId, stream: 'build' }, 'WARNING', ignored);
    }
    await projects.ensure(caller.workspaceId, body.name);
    this.#changed(caller.workspaceId, id, 'created');
    await this.#options.watched.changed(await this.require(caller, id));
    this.#options.pipeline.notice(id);
    return this.get(caller, id);
  }

  /** @throws HttpError 404; 400 for what cannot be changed; 422 for a source that cannot be right. */
  async update(caller: Caller, id: string, patch: DeploymentPatch): Promise<Deployment> {
    const { db, store, revisions, secrets, uploads, pipeline } = this.#options;
    const row = await this.require(caller, id);
    if (row.config_path !== null) throw isLive();
    const source = patch.revision_source ?? row.source;
    if (source === 'external_docker' || source === 'internal_docker') throw noImages();
    if (source !== row.source) {
      throw badRequest(`The source of a deployment cannot be changed from ${row.source} to ${source}.`);
    }
    const before = readSourceConfig(row.source_config);
    const changes = withoutNulls(patch.source_config ?? {});
    checkImmutable(before, changes);
    const sourceConfig: SourceConfig = { ...before, ...changes, custom_url: null };
    const revisionConfig = revisionConfigOf(
      patch.source_revision_config ?? {},
      readRevisionConfig(row.source_revision_config),
    );
    await checkSource(row.source, sourceConfig, revisionConfig, patch.source_revision_config ?? {});
    const tarball = patch.source_revision_config?.source_tarball_path;
    if (tarball && !(await uploads.has(id, tarball))) throw notUploaded();
    const values =
      patch.secrets == null ? undefined : await secrets.resolve(patch.secrets, row.secret_set_id);
    const makesRevision =
      patch.source_revision_config != null ||
      values !== undefined ||
      changes.resource_spec !== undefined ||
      changes.install_command !== undefined ||
      changes.build_command !== undefined;
    await db.transaction().execute(async (transaction) => {
      const secretSetId =
        values === undefined ? row.secret_set_id : await secrets.store(transaction, id, values);
      const changed = {
        source_config: JSON.stringify(sourceConfig),
        source_revision_config: JSON.stringify(revisionConfig),
        secret_set_id: secretSetId,
        ...(patch.secret_references == null
          ? {}
          : { secret_references: JSON.stringify(patch.secret_references) }),
      };
      if (!makesRevision) return store.update(id, changed, transaction);
      const revision = await revisions.insert(transaction, {
        deploymentId: id,
        source: row.source,
        sourceConfig,
        sourceRevisionConfig: revisionConfig,
        secretSetId,
        buildKey: null,
      });
      await store.update(id, { ...changed, latest_revision_id: revision.id }, transaction);
    });
    this.#changed(caller.workspaceId, id, 'updated');
    await this.#options.watched.changed(await this.require(caller, id));
    if (makesRevision) pipeline.notice(id);
    return this.get(caller, id);
  }

  /** A new revision of what its branch now holds. */
  async pushed(row: DeploymentRow): Promise<RevisionRow> {
    const made = await this.#repeat(row, {
      source: row.source,
      source_config: row.source_config,
      source_revision_config: row.source_revision_config,
      secret_set_id: row.secret_set_id,
      build_key: null,
    });
    this.#options.pipeline.notice(row.id);
    return made;
  }

  /**
   * Deploys a revision again as a new one: its source, its commit, its commands and its secrets.
   * @throws HttpError 404, or 400 when it never had a build to go back to.
   */
  async redeploy(caller: Caller, id: string, revisionId: string): Promise<Deployment> {
    const row = await this.require(caller, id);
    const revision = await this.requireRevision(row, revisionId);
    if (revision.build_key === null) {
      throw badRequest(
        `Revision ${revisionId} is ${revision.status} and was never built. Update the deployment to create a new revision.`,
      );
    }
    await this.#repeat(row, revision);
    this.#options.pipeline.notice(id);
    return this.get(caller, id);
  }

  async requireRevision(row: DeploymentRow, revisionId: string): Promise<RevisionRow> {
    const revision = await this.#options.revisions.find(row.id, revisionId);
    if (revision === undefined) throw new HttpError(404, `Revision ID ${revisionId} not found.`);
    return revision;
  }

  /** @throws HttpError 404 */
  async delete(caller: Caller, id: string, deleteProject: boolean): Promise<void> {
    const row = await this.require(caller, id);
    if (row.config_path !== null) await this.#options.folders.close(caller, id).catch(() => {});
    await this.#remove(row);
    if (deleteProject) await this.#options.projects.delete(caller.workspaceId, row.name);
  }

  /** Finishes deletions that an earlier server began. */
  async recover(): Promise<void> {
    for (const row of await this.#options.store.allBuilt()) {
      if (row.status === 'AWAITING_DELETE') await this.#remove(row);
    }
  }

  async #remove(row: DeploymentRow): Promise<void> {
    const { store, pipeline, servers, builder, identity } = this.#options;
    const { id } = row;
    await store.update(id, { status: 'AWAITING_DELETE' });
    await this.#options.watched.deleted(id);
    await pipeline.abandon(id);
    await servers.close(id);
    await builder.folder(id).removeAll();
    await identity.revokeKeysNamed(keyName(id));
    await store.delete(id);
    this.#changed(row.workspace_id, id, 'deleted');
  }

  #repeat(
    row: DeploymentRow,
    like: Pick<
      RevisionRow,
      'source' | 'source_config' | 'source_revision_config' | 'secret_set_id' | 'build_key'
    >,
  ): Promise<RevisionRow> {
    const { db, store, revisions } = this.#options;
    return db.transaction().execute(async (transaction) => {
      const revision = await revisions.insert(transaction, {
        deploymentId: row.id,
        source: like.source,
        sourceConfig: readSourceConfig(like.source_config),
        sourceRevisionConfig: readRevisionConfig(like.source_revision_config),
        secretSetId: like.secret_set_id,
        buildKey: like.build_key,
      });
      const changed = { latest_revision_id: revision.id, secret_set_id: like.secret_set_id };
      await store.update(row.id, changed, transaction);
      return revision;
    });
  }

  async #describe(row: DeploymentRow): Promise<Deployment> {
    const names = await this.#options.secrets.names([row.secret_set_id]);
    return toDeployment(row, this.#url(row), names.get(row.secret_set_id ?? '') ?? []);
  }

  #url(row: DeploymentRow): string | undefined {
    return this.#options.agents.url(row.id);
  }

  #changed(workspaceId: string, id: string, action: 'created' | 'updated' | 'deleted'): void {
    this.#options.changes.publish(workspaceId, { resource: 'deployment', action, id });
  }
}

/** What a change sets: null is no change, as an absent field is. */
function withoutNulls(config: SourceConfigRequest): SourceConfig {
  return Object.fromEntries(
    Object.entries(config).filter(([, value]) => value !== null && value !== undefined),
  );
}

/** The config's path is kept as `platform_config_path`. A commit belongs to the revision that had it. */
function revisionConfigOf(
  given: SourceRevisionConfigRequest,
  before: SourceRevisionConfig = {},
): SourceRevisionConfig {
  const { repo_commit_sha: _, uncommitted_changes: __, langgraph_config_path: ___, ...kept } = before;
  const { langgraph_config_path: theirs, ...ours } = given;
  const set = Object.fromEntries(Object.entries(ours).filter(([, value]) => value != null));
  return {
    ...kept,
    ...set,
    ...(theirs && !ours.platform_config_path ? { platform_config_path: theirs } : {}),
  };
}

const IMMUTABLE = ['integration_id', 'repo_url', 'deployment_type', 'listener_id', 'workspace_dir'] as const;

function checkImmutable(before: SourceConfig, changes: SourceConfig): void {
  for (const field of IMMUTABLE) {
    const wanted = changes[field];
    if (wanted === undefined || wanted === before[field]) continue;
    throw badRequest(`source_config.${field} cannot be changed. Create another deployment instead.`);
  }
}

function isLive(): HttpError {
  return badRequest(
    'This deployment serves an open folder and follows its files. To deploy the folder, create a deployment with the source "workspace".',
  );
}

function notUploaded(): HttpError {
  return badRequest(
    'Nothing was uploaded to source_tarball_path for this deployment. Request an upload-url and PUT the tarball there first.',
  );
}
