import { DatabaseUnreachable } from '../../../process/database-unreachable.ts';
import { messageOf } from '../../../process/message-of.ts';
import { BuildError } from '../../../project/build-error.ts';
import type { Logger } from '../../logger.ts';
import type { Meters } from '../../meters.ts';
import { RollOutError } from '../../runtimes/process/runtime-errors.ts';
import type { Bus } from '../../storage/bus.ts';
import { DutyLostError } from '../../storage/duties.ts';
import type { Build } from '../builds/build.ts';
import type { Builder } from '../builds/builder.ts';
import type { GitAccess } from '../builds/sources/git-access.ts';
import type { DeploymentRow, DeploymentStore } from '../data/deployment-store.ts';
import { readRevisionConfig, readSourceConfig } from '../data/deployment-wire.ts';
import type { LogStore } from '../data/log-store.ts';
import { type RevisionRow, type RevisionStore, UNFINISHED, WAITING } from '../data/revision-store.ts';
import { REVISIONS_CHANGED } from '../data/revisions-changed.ts';
import type { GithubIntegrations } from '../integrations/github-integrations.ts';
import type { DeploymentServers } from '../serving/deployment-servers.ts';
import { drainUntil } from '../serving/drain-until.ts';
import type { Pruning } from './pruning.ts';
import { type RevisionSteps, Stopped, type StopReason } from './revision-steps.ts';
import { Slots } from './slots.ts';

const DATABASE_WAS_AWAY = 'The database could not be reached. Continuing with this revision.';

/** The maximum number of concurrent builds. */
const MAX_BUILDS = 2;

export interface RevisionWorkOptions {
  readonly bus: Bus;
  readonly revisions: RevisionStore;
  readonly steps: RevisionSteps;
  readonly deployments: DeploymentStore;
  readonly builder: Builder;
  readonly servers: DeploymentServers;
  readonly integrations: GithubIntegrations;
  readonly pruning: Pruning;
  readonly logs: LogStore;
  readonly logger: Logger;
  readonly meters: Pick<Meters, 'builds' | 'revisions'>;
}

/** Builds a revision and rolls it out. Every status is stored before its step starts. */
export class RevisionWork {
  readonly #options: RevisionWorkOptions;
  readonly #steps: RevisionSteps;
  readonly #slots = new Slots(MAX_BUILDS);

  constructor(options: RevisionWorkOptions) {
    this.#options = options;
    this.#steps = options.steps;
  }

  /**
   * Runs all remaining steps of a revision, and stores its final status.
   * @throws DutyLostError when another server now works on the deployment.
   */
  async run(deployment: DeploymentRow, revision: RevisionRow, signal: AbortSignal): Promise<void> {
    let failure: 'BUILD_FAILED' | 'DEPLOY_FAILED' = 'BUILD_FAILED';
    try {
      const build = await this.#build(deployment, revision, signal);
      failure = 'DEPLOY_FAILED';
      await this.#rollOut(deployment, revision, build, signal);
    } catch (error) {
      if (error instanceof DutyLostError) throw error;
      if (error instanceof Stopped) return this.#stop(revision, error.reason);
      if (error instanceof DatabaseUnreachable) return this.#putBack(revision, DATABASE_WAS_AWAY);
      const message = this.#explain(error, revision);
      // After its first sentence, the message about a build contains the command's output, which is already
      // in the log.
      const [sentence = ''] = failure === 'BUILD_FAILED' ? message.split('\n') : [message];
      const isLogged = error instanceof RollOutError && error.isLogged;
      if (!isLogged) this.#log(revision, failure === 'BUILD_FAILED' ? 'build' : 'deploy', 'ERROR', sentence);
      await this.#options.logs.flush();
      await this.#steps.takeOnDuty(revision, failure, { from: UNFINISHED, message });
      this.#options.meters.revisions.count(failure);
    }
    // Pruning also follows failures, which may have left a build behind.
    await this.#options.pruning.prune(deployment.id);
  }

  async #build(deployment: DeploymentRow, revision: RevisionRow, signal: AbortSignal): Promise<Build> {
    const { builder, revisions } = this.#options;
    if (revision.status === 'AWAITING_DEPLOY' && revision.build_key !== null) {
      const built = await builder.find(revision);
      if (built !== undefined) return built;
    }
    if (revision.status !== 'AWAITING_BUILD')
      await this.#steps.begin(revision, 'AWAITING_BUILD', { from: WAITING });
    return this.#slots.use(signal, async () => {
      const attempts = attemptsAt('AWAITING_BUILD', revision) + 1;
      await this.#steps.begin(revision, 'BUILDING', {
        from: ['AWAITING_BUILD'],
        changes: { attempts },
      });
      const started = performance.now();
      const build = await builder.build(
        {
          deploymentId: revision.deployment_id,
          revisionId: revision.id,
          source: revision.source,
          sourceConfig: readSourceConfig(revision.source_config),
          sourceRevisionConfig: readRevisionConfig(revision.source_revision_config),
          buildKey: revision.build_key,
          gitAccess: await this.#gitAccess(deployment, revision),
          onFound: (commit, changes) =>
            revisions.setConfig(revision.id, configWith(revision, { commit, changes })),
        },
        { signal, log: (level, message) => this.#log(revision, 'build', level, message) },
      );
      const seconds = (performance.now() - started) / 1_000;
      this.#options.meters.builds.observe(seconds, {});
      this.#log(revision, 'build', 'INFO', `Built in ${seconds.toFixed(1)} s.`);
      await this.#options.logs.flush();
      await this.#steps.begin(revision, 'AWAITING_DEPLOY', {
        from: ['BUILDING'],
        changes: {
          build_key: build.key,
          attempts: 0,
          source_revision_config: configWith(revision, build),
        },
      });
      return build;
    });
  }

  async #gitAccess(deployment: DeploymentRow, revision: RevisionRow): Promise<GitAccess | undefined> {
    const { integration_id: id, repo_url: url } = readSourceConfig(revision.source_config);
    if (typeof id !== 'string' || typeof url !== 'string') return undefined;
    const access = await this.#options.integrations.findAccess(deployment.workspace_id, id, url);
    const credentials = access === undefined ? "git's own credentials" : 'its token';
    this.#log(revision, 'build', 'INFO', `Integration ${id}: using ${credentials}.`);
    return access;
  }

  async #rollOut(
    deployment: DeploymentRow,
    revision: RevisionRow,
    build: Build,
    signal: AbortSignal,
  ): Promise<void> {
    const { servers, deployments, revisions } = this.#options;
    const attempts = attemptsAt('AWAITING_DEPLOY', revision) + 1;
    await this.#steps.begin(revision, 'DEPLOYING', {
      from: ['AWAITING_DEPLOY'],
      changes: { attempts },
    });
    // The deployment may have been changed while the revision was being built.
    const current = (await deployments.get(deployment.id)) ?? deployment;
    await servers.rollOut(current, { ...revision, build_key: build.key }, build, signal);
    const { active_revision_id: before } = current;
    const until = before === revision.id ? undefined : drainUntil(current)?.toISOString();
    const active = { active_revision_id: revision.id, status: 'READY' } as const;
    await this.#steps.begin(revision, 'DEPLOYED', {
      from: ['DEPLOYING'],
      also: async (transaction) => {
        await deployments.update(deployment.id, active, transaction);
        if (before !== null && until !== undefined) await revisions.beginDraining(before, until, transaction);
      },
    });
    if (before !== null && until !== undefined)
      this.#log(
        revision,
        'deploy',
        'INFO',
        `Runs that began on revision ${before} may end on it until ${until}.`,
      );
    this.#options.meters.revisions.count('DEPLOYED');
    this.#options.bus.hint(REVISIONS_CHANGED);
  }

  /**
   * Stores why the work was stopped. Nothing is stored for a revision that has ended, or is being deleted.
   */
  async #stop(revision: RevisionRow, reason: StopReason): Promise<void> {
    if (reason === 'interrupted') {
      this.#log(revision, 'build', 'WARNING', 'Interrupted.');
      await this.#steps.take(revision, 'INTERRUPTED', { from: UNFINISHED, message: 'Interrupted.' });
    }
    if (reason === 'closing')
      await this.#putBack(revision, 'The server is stopping. This revision continues when it starts again.');
  }

  /** Puts a revision back, to continue with its current step later. This does not count as an attempt. */
  async #putBack(revision: RevisionRow, message: string): Promise<void> {
    const putBack = (waiting: 'AWAITING_BUILD' | 'AWAITING_DEPLOY', from: 'BUILDING' | 'DEPLOYING') => {
      const changes = { attempts: attemptsAt(waiting, revision) };
      return this.#steps.takeOnDuty(revision, waiting, { from: [from], message, changes });
    };
    await putBack('AWAITING_BUILD', 'BUILDING');
    await putBack('AWAITING_DEPLOY', 'DEPLOYING');
  }

  /**
   * Logs an error of the server itself, which the source has not caused.
   * @returns a readable reason for any error.
   */
  #explain(error: unknown, revision: RevisionRow): string {
    if (!(error instanceof BuildError) && !(error instanceof RollOutError))
      this.#options.logger.error({ err: error, id: revision.id }, 'could not process a revision');
    return messageOf(error);
  }

  #log(
    revision: RevisionRow,
    stream: 'build' | 'deploy',
    level: 'INFO' | 'WARNING' | 'ERROR' | 'DEBUG' | 'CRITICAL',
    message: string,
  ): void {
    const place = { deploymentId: revision.deployment_id, revisionId: revision.id, stream };
    this.#options.logs.write(place, level, message);
  }
}

/** The stored form of a revision's config, with the commit or the image digest that was found. */
function configWith(revision: RevisionRow, found: Build | Pick<Build, 'commit' | 'changes'>): string {
  const config = readRevisionConfig(revision.source_revision_config);
  if ('kind' in found && found.kind === 'image') {
    return JSON.stringify({ ...config, image_digest: found.image.digest ?? `sha256:${found.image.id}` });
  }
  return JSON.stringify({
    ...config,
    repo_commit_sha: found.commit,
    ...(found.changes !== null && { uncommitted_changes: found.changes }),
  });
}

/** How often servers had stopped in a step of a revision when this server took the revision. */
function attemptsAt(
  waiting: 'AWAITING_BUILD' | 'AWAITING_DEPLOY',
  { status, attempts }: RevisionRow,
): number {
  return status === waiting ? attempts : 0;
}
