import type { Kysely } from 'kysely';
import { badRequest } from '../../http/errors.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { StateSchema } from '../../storage/state-schema.ts';
import type { DeploymentRow, DeploymentStore } from '../deployments/deployment-store.ts';
import { readRevisionConfig, readSourceConfig } from '../deployments/deployment-wire.ts';
import type { RevisionPipeline } from './revision-pipeline.ts';
import type { NewRevision, RevisionRow, RevisionStore } from './revision-store.ts';

export interface NewRevisionsOptions {
  readonly db: StateDatabase;
  readonly deployments: DeploymentStore;
  readonly revisions: RevisionStore;
  readonly pipeline: RevisionPipeline;
}

/** The properties of a revision. */
type Model = Pick<
  RevisionRow,
  'source' | 'source_config' | 'source_revision_config' | 'secret_set_id' | 'build_key'
>;

/** Adds revisions to deployments. */
export class NewRevisions {
  readonly #options: NewRevisionsOptions;

  constructor(options: NewRevisionsOptions) {
    this.#options = options;
  }

  /** Makes a revision the latest of its deployment. Notify the pipeline when the transaction has ended. */
  async insert(transaction: Kysely<StateSchema>, revision: NewRevision): Promise<RevisionRow> {
    const { deployments, revisions } = this.#options;
    const row = await revisions.insert(transaction, revision);
    const changed = { latest_revision_id: row.id, secret_set_id: revision.secretSetId };
    await deployments.update(revision.deploymentId, changed, transaction);
    return row;
  }

  /** Builds what the branch of a deployment holds now. */
  addPushed(row: DeploymentRow): Promise<RevisionRow> {
    const { source, source_config, source_revision_config, secret_set_id } = row;
    return this.#add(row, { source, source_config, source_revision_config, secret_set_id, build_key: null });
  }

  /**
   * Deploys a revision again as a new one: its source, its commit, its commands and its secrets.
   * @throws HttpError 400 when it never had a build to go back to.
   */
  async repeat(row: DeploymentRow, revision: RevisionRow): Promise<void> {
    if (revision.build_key === null) {
      throw badRequest(
        `Revision ${revision.id} is ${revision.status} and was never built. Update the deployment to create a new revision.`,
      );
    }
    await this.#add(row, revision);
  }

  async #add({ id }: DeploymentRow, model: Model): Promise<RevisionRow> {
    const { db, pipeline } = this.#options;
    const made = await db.transaction().execute((transaction) =>
      this.insert(transaction, {
        deploymentId: id,
        source: model.source,
        sourceConfig: readSourceConfig(model.source_config),
        sourceRevisionConfig: readRevisionConfig(model.source_revision_config),
        secretSetId: model.secret_set_id,
        buildKey: model.build_key,
      }),
    );
    pipeline.notice(id);
    return made;
  }
}
