import type { Kysely } from 'kysely';
import { badRequest, HttpError } from '../../http/errors.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { StateSchema } from '../../storage/state-schema.ts';
import type { DeploymentRow, DeploymentStore } from '../data/deployment-store.ts';
import { readRevisionConfig, readSourceConfig } from '../data/deployment-wire.ts';
import type { NewRevision, RevisionRow, RevisionStore } from '../data/revision-store.ts';
import type { RevisionPipeline } from './revision-pipeline.ts';

export interface NewRevisionsOptions {
  readonly db: StateDatabase;
  readonly deployments: DeploymentStore;
  readonly revisions: RevisionStore;
  readonly pipeline: RevisionPipeline;
}

/** The fields that a new revision takes from its deployment, or from the revision that it repeats. */
type Template = Pick<
  RevisionRow,
  'source' | 'source_config' | 'source_revision_config' | 'secret_set_id' | 'build_key'
>;

/** Adds revisions to deployments. */
export class NewRevisions {
  readonly #options: NewRevisionsOptions;

  constructor(options: NewRevisionsOptions) {
    this.#options = options;
  }

  /** Adds a revision as the latest of its deployment. The pipeline must be notified when the transaction has ended. */
  async insert(transaction: Kysely<StateSchema>, revision: NewRevision): Promise<RevisionRow> {
    const { deployments, revisions } = this.#options;
    const row = await revisions.insert(transaction, revision);
    const changed = { latest_revision_id: row.id, secret_set_id: revision.secretSetId };
    await deployments.update(revision.deploymentId, changed, transaction);
    return row;
  }

  /**
   * Adds a revision that builds the current state of a deployment's branch.
   * @throws HttpError 404 if the deployment was deleted.
   */
  addPushed(deploymentId: string): Promise<RevisionRow> {
    return this.#add(deploymentId, async (transaction) => {
      const row = await this.#options.deployments.hold(deploymentId, transaction);
      if (row === undefined) throw new HttpError(404, `Deployment ID ${deploymentId} not found.`);
      return { ...row, build_key: null };
    });
  }

  /**
   * Adds a revision with the source, the commit, the commands and the secrets of an earlier one.
   * @throws HttpError 400 if the earlier revision was never built.
   */
  async repeat(row: DeploymentRow, revision: RevisionRow): Promise<void> {
    if (revision.build_key === null) {
      throw badRequest(
        `Revision ${revision.id} is ${revision.status} and was never built. Update the deployment to create a new revision.`,
      );
    }
    await this.#add(row.id, async () => revision);
  }

  async #add(
    deploymentId: string,
    findTemplate: (transaction: Kysely<StateSchema>) => Promise<Template>,
  ): Promise<RevisionRow> {
    const { db, pipeline } = this.#options;
    const made = await db.transaction().execute(async (transaction) => {
      const template = await findTemplate(transaction);
      return this.insert(transaction, {
        deploymentId,
        source: template.source,
        sourceConfig: readSourceConfig(template.source_config),
        sourceRevisionConfig: readRevisionConfig(template.source_revision_config),
        secretSetId: template.secret_set_id,
        buildKey: template.build_key,
      });
    });
    pipeline.notice(deploymentId);
    return made;
  }
}
