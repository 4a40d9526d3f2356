import { removeEach } from '../../../process/remove-each.ts';
import { isOther } from '../../storage/dialect-expressions.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { BuildStore } from '../builds/build-store.ts';
import type { Builder } from '../builds/builder.ts';
import { failedSourceKey } from '../builds/deployment-folder.ts';
import type { Uploads } from '../builds/uploads.ts';
import { readRevisionConfig } from '../data/deployment-wire.ts';
import { type RevisionStore, UNFINISHED } from '../data/revision-store.ts';

/** How many builds of a deployment are kept, so that rolling back to a recent one needs no build. */
const BUILDS_KEPT = 5;
/** How many revisions of a deployment keep their uploaded or copied source. */
const SOURCES_KEPT = 50;
/** How many revisions without a build keep their source, for comparisons. */
const UNBUILT_SOURCES_KEPT = 5;

export interface PruningOptions {
  readonly db: StateDatabase;
  readonly revisions: RevisionStore;
  readonly builder: Builder;
  readonly uploads: Uploads;
  readonly shared?: BuildStore | undefined;
}

/**
 * Removes builds, sources, uploads and secrets that no revision needs any longer. Secrets are kept as long as a revision
 * that has them can be deployed again.
 */
export class Pruning {
  readonly #options: PruningOptions;

  constructor(options: PruningOptions) {
    this.#options = options;
  }

  /** Prunes a deployment, while none of its revisions is being built. */
  async prune(deploymentId: string): Promise<void> {
    const { revisions, uploads, shared } = this.#options;
    const kept = await this.pruneHere(deploymentId);
    await shared?.prune(deploymentId, kept);
    const sources = await revisions.listSources(deploymentId, SOURCES_KEPT);
    const unbuilt = await revisions.listUnbuilt(deploymentId, UNBUILT_SOURCES_KEPT);
    const configs = [...sources, ...unbuilt].map(({ source_revision_config }) =>
      readRevisionConfig(source_revision_config),
    );
    await uploads.prune(deploymentId, new Set(configs.map(({ source_tarball_path }) => source_tarball_path)));
    await this.#pruneSecrets(deploymentId);
  }

  /** Prunes the files on this server only. @returns the keys of the builds and sources that are kept. */
  async pruneHere(
    deploymentId: string,
  ): Promise<{ builds: ReadonlySet<string>; sources: ReadonlySet<string> }> {
    const { builder, revisions } = this.#options;
    const folder = builder.folder(deploymentId);
    const builds = new Set(await revisions.listBuildKeys(deploymentId, BUILDS_KEPT));
    for (const { key } of await folder.listManifests()) if (!builds.has(key)) await folder.remove(key);
    const rows = await revisions.listSources(deploymentId, SOURCES_KEPT);
    const unbuilt = await revisions.listUnbuilt(deploymentId, UNBUILT_SOURCES_KEPT);
    const sources = new Set([
      ...rows.map(({ build_key }) => build_key).filter((key) => key !== null),
      ...unbuilt.map(({ id }) => failedSourceKey(id)),
    ]);
    await folder.removeArchives(sources);
    return { builds, sources };
  }

  /** Removes folders of deleted deployments that a crash has left behind. */
  async removeOrphans(): Promise<void> {
    const { builder, db } = this.#options;
    await removeEach(await builder.deploymentIds(), async (id) => {
      const row = await db.selectFrom('deployments').select('id').where('id', '=', id).executeTakeFirst();
      if (row === undefined) await builder.folder(id).removeAll();
    });
  }

  async #pruneSecrets(deploymentId: string): Promise<void> {
    await this.#options.db
      .deleteFrom('secret_sets')
      .where('deployment_id', '=', deploymentId)
      .where(({ selectFrom }) =>
        isOther(
          'id',
          selectFrom('deployments')
            .select('deployments.secret_set_id')
            .where('deployments.id', '=', deploymentId),
        ),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('revisions')
              .select('revisions.id')
              .whereRef('revisions.secret_set_id', '=', 'secret_sets.id')
              .where(({ or, eb }) =>
                or([eb('build_key', 'is not', null), eb('status', 'in', [...UNFINISHED])]),
              ),
          ),
        ),
      )
      .execute();
  }
}
