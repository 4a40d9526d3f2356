import { messageOf } from '../../process/message-of.ts';
import { DeploymentRuntime, type DeploymentRuntimeOptions, type RuntimeLink } from './deployment-runtime.ts';
import type { Generation } from './generations/generation.ts';
import type { RuntimeSource } from './generations/runtime-source.ts';

/** Finds the files of a revision. @throws Error if they cannot be obtained. */
export type FindSource = (signal: AbortSignal) => Promise<RuntimeSource>;

/** An earlier revision, whose graphs are loaded when a run needs them. */
interface Earlier {
  readonly findSource: FindSource;
  runtime: Promise<DeploymentRuntime> | undefined;
  /** Aborted when the revision is ended. */
  readonly ending: AbortController;
}

/** The graphs for an attempt of a run, and the runtime that they belong to. */
export interface LoadedGraphs {
  readonly runtime: DeploymentRuntime;
  readonly generation: Generation;
}

/**
 * The runtimes of a deployment: that of the revision that is being served, and those of earlier revisions on which runs
 * that have begun on them may end.
 */
export class RevisionRuntimes {
  readonly current: DeploymentRuntime;
  readonly #options: DeploymentRuntimeOptions;
  readonly #earlier = new Map<string, Earlier>();
  #link: RuntimeLink | undefined;

  constructor(options: DeploymentRuntimeOptions) {
    this.#options = options;
    this.current = new DeploymentRuntime(options);
  }

  /** Sets the server side, before anything is loaded. */
  connect(link: RuntimeLink): void {
    this.#link = link;
    this.current.connect(link);
  }

  /** From now on, runs that have begun on a revision also end on it, even once another revision is served. */
  keep(revisionId: string, findSource: FindSource): void {
    if (this.#earlier.has(revisionId)) return;
    this.#earlier.set(revisionId, { findSource, runtime: undefined, ending: new AbortController() });
  }

  /** No longer keeps a revision, unless it is served. Its remaining runs are interrupted. */
  async end(revisionId: string): Promise<void> {
    const earlier = this.#earlier.get(revisionId);
    this.#earlier.delete(revisionId);
    await Promise.all([this.current.endRetired(revisionId), stop(earlier)]);
  }

  /**
   * Loads the graphs for a run: those of the revision on which the run began, as long as it is kept and can be loaded,
   * otherwise those of the revision that is being served.
   * @param revisionId null for a run that has not begun.
   * @param isApart whether to load them in separate processes; see `DeploymentRuntime.apart`.
   * @throws RuntimeUnavailableError, and errors of loading.
   */
  async load(revisionId: string | null, isApart: boolean): Promise<LoadedGraphs> {
    const isServed = revisionId === null || revisionId === this.current.revisionId;
    const earlier = isServed ? undefined : this.#earlier.get(revisionId);
    if (revisionId !== null && earlier !== undefined) {
      try {
        earlier.runtime ??= this.#make(earlier);
        return await load(await earlier.runtime, isApart);
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
    return load(this.current, isApart);
  }

  /** Announces the server's address to processes that were loaded before it was known. */
  announce(url: string): void {
    this.current.announce(url);
    for (const { runtime } of this.#earlier.values()) {
      // The failure to load a revision is reported to its runs.
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

async function load(runtime: DeploymentRuntime, isApart: boolean): Promise<LoadedGraphs> {
  return { runtime, generation: await (isApart ? runtime.apart() : runtime.ready()) };
}

async function stop(earlier: Earlier | undefined): Promise<void> {
  earlier?.ending.abort();
  // A revision that could not be loaded has nothing to stop.
  const runtime = await earlier?.runtime?.catch(() => undefined);
  await runtime?.stop();
}
