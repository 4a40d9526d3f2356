import type { Kysely, NotNull, Selectable } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { RevisionFilter, RevisionStatus } from '../../../contract/control-plane/revisions.ts';
import type {
  DeploymentSource,
  SourceConfig,
  SourceRevisionConfig,
} from '../../../contract/control-plane/sources.ts';
import type { RevisionTable } from '../../storage/control-plane-schema.ts';
import { appendJson, documentContains } from '../../storage/dialect-expressions.ts';
import { isAmong } from '../../storage/is-among.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { StateSchema } from '../../storage/state-schema.ts';
import { readRevisionConfig } from './deployment-wire.ts';

export type RevisionRow = Selectable<RevisionTable>;

/** A draining revision, with the number of unfinished runs that have begun on it. */
export type DrainingRow = RevisionRow & { readonly draining_until: string; readonly runs: number };

/** Statuses of waiting revisions. */
export const WAITING = ['CREATING', 'QUEUED', 'AWAITING_BUILD', 'AWAITING_DEPLOY'] as const;
/** Statuses of revisions that are being built or deployed. */
const IN_PROGRESS = ['BUILDING', 'DEPLOYING'] as const;
export const UNFINISHED: readonly RevisionStatus[] = [...WAITING, ...IN_PROGRESS];
/** Statuses of runs that have not ended. */
const UNFINISHED_RUNS = ['pending', 'running'] as const;
/** How many of the latest revisions are searched for the newest commit. */
const MAX_REVISIONS_FOR_COMMIT = 20;

/** A revision to store. */
export interface NewRevision {
  readonly deploymentId: string;
  readonly source: DeploymentSource;
  readonly sourceConfig: SourceConfig;
  readonly sourceRevisionConfig: SourceRevisionConfig;
  readonly secretSetId: string | null;
  /** The build of the revision that is being repeated, for reuse. */
  readonly buildKey: string | null;
}

/** A change of a revision's status, and of columns that belong to it. */
export interface StatusStep {
  readonly to: RevisionStatus;
  readonly message?: string | null;
  /** The revision is only changed if it has one of these statuses. */
  readonly from: readonly RevisionStatus[];
  readonly changes?: Partial<Pick<RevisionRow, 'build_key' | 'attempts' | 'source_revision_config'>>;
}

/** Rows of revisions. Statuses are only changed here, together with the times at which they begin. */
export class RevisionStore {
  readonly #db: StateDatabase;
  constructor(db: StateDatabase) {
    this.#db = db;
  }

  find(deploymentId: string, id: string): Promise<RevisionRow | undefined> {
    return this.#db
      .selectFrom('revisions')
      .selectAll()
      .where('deployment_id', '=', deploymentId)
      .where('id', '=', id)
      .executeTakeFirst();
  }

  /** Lists revisions, latest first. */
  list(deploymentId: string, filter: RevisionFilter): Promise<RevisionRow[]> {
    let query = this.#db.selectFrom('revisions').selectAll().where('deployment_id', '=', deploymentId);
    if (filter.status !== undefined) {
      query = query.where(isAmong('status', filter.status));
    }
    return query
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(filter.limit)
      .offset(filter.offset)
      .execute();
  }

  /** Whether a revision of a deployment was built from a commit, or names it in its request. */
  async hasCommit(deploymentId: string, commit: string): Promise<boolean> {
    const found = await this.#db
      .selectFrom('revisions')
      .select('id')
      .where('deployment_id', '=', deploymentId)
      .where(documentContains('source_revision_config', { repo_commit_sha: commit }))
      .limit(1)
      .executeTakeFirst();
    return found !== undefined;
  }

  /**
   * The commit of the newest revision that has one, and whether that revision failed or was interrupted.
   * @returns undefined if none of the latest `MAX_REVISIONS_FOR_COMMIT` has one.
   */
  async findNewestCommit(
    deploymentId: string,
  ): Promise<{ readonly commit: string; readonly hasFailed: boolean } | undefined> {
    for (const { source_revision_config, status } of await this.list(deploymentId, {
      limit: MAX_REVISIONS_FOR_COMMIT,
      offset: 0,
    })) {
      const commit = readRevisionConfig(source_revision_config).repo_commit_sha;
      if (typeof commit === 'string') return { commit, hasFailed: /FAILED|INTERRUPTED/.test(status) };
    }
    return undefined;
  }

  /** The revisions of a deployment that wait to be built or deployed, oldest first. */
  listWaiting(deploymentId: string): Promise<RevisionRow[]> {
    return this.#db
      .selectFrom('revisions')
      .selectAll()
      .where('deployment_id', '=', deploymentId)
      .where('status', 'in', WAITING)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
  }

  /** The revisions that are being built or deployed, in one deployment or in all. */
  listInProgress(deploymentId?: string): Promise<RevisionRow[]> {
    const inProgress = this.#db.selectFrom('revisions').selectAll().where('status', 'in', IN_PROGRESS);
    return (
      deploymentId === undefined ? inProgress : inProgress.where('deployment_id', '=', deploymentId)
    ).execute();
  }

  /** Revisions that have not ended, of all deployments. */
  listUnfinished(): Promise<RevisionRow[]> {
    return this.#db.selectFrom('revisions').selectAll().where('status', 'in', UNFINISHED).execute();
  }

  /**
   * The keys of the builds that a deployment needs: of its latest revisions that were live or are unfinished, up to the
   * limit, and of all that are draining.
   */
  async listBuildKeys(deploymentId: string, limit: number): Promise<string[]> {
    const rows = await this.#db
      .selectFrom('revisions')
      .select(['build_key'])
      .where('deployment_id', '=', deploymentId)
      .where('build_key', 'is not', null)
      .where('status', 'in', ['DEPLOYED', ...UNFINISHED])
      .orderBy('created_at', 'desc')
      .limit(limit)
      .execute();
    const draining = await this.listDraining(deploymentId);
    return [...rows, ...draining].map(({ build_key }) => build_key).filter((key) => key !== null);
  }

  /** The sources of the latest revisions that have a build or are unfinished. */
  listSources(
    deploymentId: string,
    limit: number,
  ): Promise<Pick<RevisionRow, 'build_key' | 'source_revision_config'>[]> {
    return this.#db
      .selectFrom('revisions')
      .select(['build_key', 'source_revision_config'])
      .where('deployment_id', '=', deploymentId)
      .where(({ or, eb }) => or([eb('build_key', 'is not', null), eb('status', 'in', [...UNFINISHED])]))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
  }

  /** The latest revisions that ended before they had a build. */
  listUnbuilt(
    deploymentId: string,
    limit: number,
  ): Promise<Pick<RevisionRow, 'id' | 'source_revision_config'>[]> {
    return this.#db
      .selectFrom('revisions')
      .select(['id', 'source_revision_config'])
      .where('deployment_id', '=', deploymentId)
      .where('build_key', 'is', null)
      .where('status', 'not in', [...UNFINISHED])
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
  }

  /** The revisions that are draining, in one deployment or in all. */
  async listDraining(deploymentId?: string): Promise<DrainingRow[]> {
    const draining = this.#db
      .selectFrom('revisions')
      .selectAll('revisions')
      .select(({ selectFrom }) =>
        selectFrom('runs')
          .select(({ fn }) => fn.countAll<number | string>().as('runs'))
          .whereRef('runs.deployment_id', '=', 'revisions.deployment_id')
          .whereRef('runs.revision_id', '=', 'revisions.id')
          .where('runs.status', 'in', UNFINISHED_RUNS)
          .as('runs'),
      )
      .where('draining_until', 'is not', null)
      .$narrowType<{ draining_until: NotNull }>();
    const rows = await (deploymentId === undefined
      ? draining
      : draining.where('revisions.deployment_id', '=', deploymentId)
    ).execute();
    return rows.map((row) => ({ ...row, runs: Number(row.runs) }));
  }

  /** Whether the database has an unfinished run that began on a revision. */
  async hasRuns(deploymentId: string, revisionId: string): Promise<boolean> {
    const run = await this.#db
      .selectFrom('runs')
      .select('run_id')
      .where('deployment_id', '=', deploymentId)
      .where('revision_id', '=', revisionId)
      .where('status', 'in', UNFINISHED_RUNS)
      .executeTakeFirst();
    return run !== undefined;
  }

  /** Lets the runs of a revision end on it until a time, in ISO 8601. Has no effect if it is already draining. */
  async beginDraining(id: string, until: string, db: Kysely<StateSchema> = this.#db): Promise<void> {
    await db
      .updateTable('revisions')
      .set({ draining_until: until })
      .where('id', '=', id)
      .where('draining_until', 'is', null)
      .execute();
  }

  /** Ends the draining of a revision. @returns whether it was still draining. */
  async endDraining({ id, draining_until }: DrainingRow): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('revisions')
      .set({ draining_until: null })
      .where('id', '=', id)
      .where('draining_until', '=', draining_until)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  async insert(db: Kysely<StateSchema>, revision: NewRevision): Promise<RevisionRow> {
    const now = new Date().toISOString();
    const row: RevisionRow = {
      id: uuidv7(),
      deployment_id: revision.deploymentId,
      source: revision.source,
      source_config: JSON.stringify(revision.sourceConfig),
      source_revision_config: JSON.stringify(revision.sourceRevisionConfig),
      status: 'CREATING',
      status_message: null,
      status_history: JSON.stringify([{ status: 'CREATING', at: now }]),
      secret_set_id: revision.secretSetId,
      build_key: revision.buildKey,
      attempts: 0,
      draining_until: null,
      created_at: now,
      updated_at: now,
    };
    await db.insertInto('revisions').values(row).execute();
    return row;
  }

  /** Stores a revision's config with the commit that was found for it. */
  async setConfig(id: string, source_revision_config: string): Promise<void> {
    await this.#db.updateTable('revisions').set({ source_revision_config }).where('id', '=', id).execute();
  }

  /** Moves a revision to a status. @returns whether it had one of the expected statuses before. */
  async step(id: string, step: StatusStep, db: Kysely<StateSchema> = this.#db): Promise<boolean> {
    const at = new Date().toISOString();
    const { numUpdatedRows } = await db
      .updateTable('revisions')
      .set({
        ...step.changes,
        status: step.to,
        status_message: step.message ?? null,
        status_history: appendJson('status_history', { status: step.to, at }),
        updated_at: at,
      })
      .where('id', '=', id)
      .where('status', 'in', step.from)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }
}
