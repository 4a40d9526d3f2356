import { stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FSWatcher, watch } from 'chokidar';
import { ifReadable } from '../../../process/if-present.ts';
import { KeyedMutex } from '../../keyed-mutex.ts';
import type { Logger } from '../../logger.ts';
import type { Duties } from '../../storage/duties.ts';
import { buildBase } from '../builds/base-environment.ts';
import type { CommandRunner } from '../builds/command-runner.ts';
import type { DeploymentRow, DeploymentStore } from '../data/deployment-store.ts';
import { readRevisionConfig, readSourceConfig } from '../data/deployment-wire.ts';
import type { RevisionStore } from '../data/revision-store.ts';
import type { NewRevisions } from './new-revisions.ts';

/** How long a repository must be unchanged before its branch is read. */
const SETTLE_MS = 200;
/** The pause before a branch is read again, if the push could not be deployed or another server deploys it. */
const AGAIN_MS = 5_000;
const GIT_TIMEOUT_MS = 30_000;

export interface PushWatcherOptions {
  readonly newRevisions: NewRevisions;
  readonly store: DeploymentStore;
  readonly revisions: RevisionStore;
  readonly runner: CommandRunner;
  readonly environment: NodeJS.ProcessEnv;
  readonly logger: Logger;
  readonly duties: Duties;
}

/** A watched deployment. */
interface Watched {
  /** The watched git folder and branch. */
  readonly key: string;
  readonly watcher: FSWatcher;
  /** The last known commit of the branch. */
  seen: string | undefined;
  timer?: NodeJS.Timeout;
  /** Ends the wait until the watcher is ready, because a watcher that was closed reports nothing more. */
  stopWaiting?: () => void;
}

/**
 * Watches repositories on this machine for deployments with `build_on_push`. Adds a revision when a
 * deployment's branch points to another commit, and at the start if the branch changed while the server was
 * stopped.
 */
export class PushWatcher {
  readonly #options: PushWatcherOptions;
  readonly #watched = new Map<string, Watched>();
  readonly #mutex = new KeyedMutex();
  readonly #abort = new AbortController();

  constructor(options: PushWatcherOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    for (const row of await this.#options.store.listBuilt()) {
      await this.watch(row);
      await this.#check(row.id);
    }
  }

  /** Starts, continues or stops watching, as the deployment's config requires. */
  async watch(row: DeploymentRow): Promise<void> {
    const { repo_url: url, build_on_push: wanted } = readSourceConfig(row.source_config);
    const gitDir =
      wanted === true && url?.startsWith('file:') ? await findGitDir(fileURLToPath(url)) : undefined;
    const key = gitDir === undefined ? '' : `${gitDir} ${refOf(row)}`;
    const before = this.#watched.get(row.id);
    if (before?.key === key) return;
    await this.forget(row.id);
    if (gitDir === undefined) return;
    const watcher = watch([path.join(gitDir, 'refs', 'heads'), path.join(gitDir, 'packed-refs')], {
      ignoreInitial: true,
      ignored: (file) => file.endsWith('.lock'),
    });
    const watched: Watched = { key, watcher, seen: undefined };
    watcher.on('all', () => this.#checkIn(SETTLE_MS, row.id));
    watcher.on('error', (error) => this.#options.logger.warn({ err: error }, 'could not watch a repository'));
    this.#watched.set(row.id, watched);
    await new Promise<void>((resolve) => {
      watched.stopWaiting = resolve;
      watcher.once('ready', resolve);
    });
    if (this.#watched.get(row.id) === watched) watched.seen = await this.#findSeen(row);
  }

  /**
   * The commit that does not count as a push: the branch's commit if any revision has it, even if an older revision has
   * been deployed again since; otherwise the newest revision's commit, so that a missed push is deployed.
   */
  async #findSeen(row: DeploymentRow): Promise<string | undefined> {
    const { revisions } = this.#options;
    // A repository that cannot be read now is read again at its next change.
    const commit = await this.#readCommit(row).catch(() => undefined);
    if (commit !== undefined && (await revisions.hasCommit(row.id, commit))) return commit;
    return (await revisions.findNewestCommit(row.id))?.commit ?? commit;
  }

  /** Stops watching a deployment. */
  async forget(deploymentId: string): Promise<void> {
    const watched = this.#watched.get(deploymentId);
    this.#watched.delete(deploymentId);
    clearTimeout(watched?.timer);
    watched?.stopWaiting?.();
    await watched?.watcher.close();
  }

  async close(): Promise<void> {
    this.#abort.abort();
    await Promise.all([...this.#watched.keys()].map((id) => this.forget(id)));
  }

  #checkIn(ms: number, deploymentId: string): void {
    const watched = this.#watched.get(deploymentId);
    if (watched === undefined) return;
    clearTimeout(watched.timer);
    watched.timer = setTimeout(() => void this.#check(deploymentId), ms);
  }

  async #check(deploymentId: string): Promise<void> {
    try {
      const isDone = await this.#mutex.run(deploymentId, () => this.#deployPush(deploymentId));
      if (!isDone) this.#checkIn(AGAIN_MS, deploymentId);
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      this.#options.logger.warn({ err: error }, 'could not process a push');
      this.#checkIn(AGAIN_MS, deploymentId);
    }
  }

  /**
   * Adds a revision if the branch has a new commit.
   * @returns whether nothing is left to do; false if another server has the duty to add the revision.
   */
  async #deployPush(deploymentId: string): Promise<boolean> {
    const { store, revisions, duties, newRevisions } = this.#options;
    const row = await store.get(deploymentId);
    const watched = this.#watched.get(deploymentId);
    if (row === undefined || watched === undefined) return true;
    const commit = await this.#readCommit(row);
    if (commit === undefined || commit === watched.seen) return true;
    if ((await revisions.findNewestCommit(deploymentId))?.commit !== commit) {
      // Only one server deploys a push, even if several see the repository.
      if (!(await duties.take(`pushes:${deploymentId}`))) return false;
      await newRevisions.addPushed(deploymentId);
    }
    watched.seen = commit;
    return true;
  }

  /** The commit of the deployment's branch; `undefined` while it does not exist. */
  async #readCommit(row: DeploymentRow): Promise<string | undefined> {
    const url = readSourceConfig(row.source_config).repo_url ?? '';
    const ref = refOf(row);
    const name = ref === 'HEAD' || ref.startsWith('refs/') ? ref : `refs/heads/${ref}`;
    const { runner, environment } = this.#options;
    const output = await runner.run({
      command: 'git',
      args: ['ls-remote', '--', url, name],
      cwd: path.dirname(fileURLToPath(url)),
      env: { ...buildBase(environment), GIT_TERMINAL_PROMPT: '0', GIT_ALLOW_PROTOCOL: 'file' },
      timeoutMs: GIT_TIMEOUT_MS,
      signal: this.#abort.signal,
    });
    return /^[0-9a-f]{40,64}/.exec(output)?.[0];
  }
}

/** The branch or other ref that a deployment is built from; `HEAD` is the repository's default branch. */
function refOf(row: DeploymentRow): string {
  return readRevisionConfig(row.source_revision_config).repo_ref ?? 'HEAD';
}

/** The git folder of a repository: `.git`, or the folder itself for a bare repository. */
async function findGitDir(repository: string): Promise<string | undefined> {
  for (const candidate of [path.join(repository, '.git'), repository]) {
    const refs = await ifReadable(stat(path.join(candidate, 'refs')));
    if (refs?.isDirectory()) return candidate;
  }
  return undefined;
}
