import { messageOf } from '../../process/message-of.ts';
import { DeploymentRuntime, type DeploymentRuntimeOptions, type RuntimeLink } from './deployment-runtime.ts';
import type { Generation } from './generations/generation.ts';
import type { RuntimeSource } from './generations/runtime-source.ts';

/** Finds the sources of a revision. @throws Error if they cannot be obtained. */
export type FindSource = (signal: AbortSignal) => Promise<RuntimeSource>;

/** An earlier revision, whose graphs are loaded when a run needs them. */
interface Earlier {
  readonly findSource: FindSource;
  runtime: Promise<DeploymentRuntime> | undefined;
  /** Aborted when the revision is ended. */
  readonly ending: AbortController;
}

/** The graphs for a run, and the runtime that they belong to. */
export interface LoadedGraphs {
  readonly runtime: DeploymentRuntime;
  readonly generation: Generation;
}

/** The runtimes of a deployment: of the served revision, and of earlier revisions whose runs have not ended. */
export class RevisionRuntimes {
  readonly current: DeploymentRuntime;
  readonly #options: DeploymentRuntimeOptions;
  readonly #earlier = new Map<string, Earlier>();
  #link: RuntimeLink | undefined;

  constructor(options: DeploymentRuntimeOptions) {
    this.#options = options;
    this.current = new DeploymentRuntime(options);
  }

  /** Sets the server's handlers, before anything is loaded. */
  connect(link: RuntimeLink): void {
    this.#link = link;
    this.current.connect(link);
  }

  /** Keeps a revision: runs that began on it end on it, even when another revision is served. */
  keep(revisionId: string, findSource: FindSource): void {
    if (this.#earlier.has(revisionId)) return;
    this.#earlier.set(revisionId, { findSource, runtime: undefined, ending: new AbortController() });
  }

  /** Stops keeping a revision, and stops its processes unless it is served. Its runs are interrupted. */
  async end(revisionId: string): Promise<void> {
    const earlier = this.#earlier.get(revisionId);
    this.#earlier.delete(revisionId);
    await Promise.all([this.current.endRetired(revisionId), stop(earlier)]);
  }

  /**
   * Loads the graphs for a run: of the revision on which the run began, if that is kept and can be loaded; otherwise, of
   * the served revision.
   * @param revisionId null for a run that has not begun.
   * @param isSeparate whether to load them in separate processes; see `DeploymentRuntime.loadSeparately`.
   * @throws RuntimeUnavailableError, and errors of loading.
   */
  async load(revisionId: string | null, isSeparate: boolean): Promise<LoadedGraphs> {
    const isServed = revisionId === null || revisionId === this.current.revisionId;
    const earlier = isServed ? undefined : this.#earlier.get(revisionId);
    if (revisionId !== null && earlier !== undefined) {
      try {
        earlier.runtime ??= this.#make(earlier);
        return await load(await earlier.runtime, isSeparate);
      } catch (error) {
        // The revision may have been ended in the meantime.
        if (this.#earlier.get(revisionId) === earlier) {
          this.#earlier.delete(revisionId);
          void stop(earlier);
          const message = `Revision ${revisionId} could not be loaded again: ${messageOf(error)}`;
          this.#options.log.write('ERROR', message);
        }
      }
    }
    return load(this.current, isSeparate);
  }

  /** Announces the server's address to processes that were loaded before it was known. */
  announce(url: string): void {
    this.current.announce(url);
    for (const { runtime } of this.#earlier.values()) {
      // If a revision could not be loaded, `load` logs why, and its runs use the served revision.
      void runtime?.then((loaded) => loaded.announce(url)).catch(() => {});
    }
  }

  /** Stops all processes. Their runs are interrupted. */
  async stop(): Promise<void> {
    const all = [...this.#earlier.values()];
    this.#earlier.clear();
    await Promise.all([this.current.stop(), ...all.map(stop)]);
  }

  async #make({ findSource, ending }: Earlier): Promise<DeploymentRuntime> {
    const source = await findSource(ending.signal);
    const runtime = new DeploymentRuntime({ ...this.#options, source, headStart: undefined });
    // The state of a deployment is that of the revision that is being served.
    if (this.#link !== undefined) runtime.connect({ ...this.#link, onState: () => {} });
    await runtime.startAsleep();
    return runtime;
  }
}

async function load(runtime: DeploymentRuntime, isSeparate: boolean): Promise<LoadedGraphs> {
  return { runtime, generation: await (isSeparate ? runtime.loadSeparately() : runtime.ready()) };
}

async function stop(earlier: Earlier | undefined): Promise<void> {
  earlier?.ending.abort();
  // A revision that could not be loaded has nothing to stop.
  const runtime = await earlier?.runtime?.catch(() => undefined);
  await runtime?.stop();
}
