import { launchProcess } from '../process/launch-runtime.ts';
import { runtimeEnvironment, type TracingTarget } from '../process/runtime-environment.ts';
import type { RuntimeHandlers } from '../process/runtime-process.ts';
import type { Project } from '../project/project.ts';
import type { Debugging } from './debugging.ts';
import type { Generation } from './generation.ts';
import { type LoadOptions, loadGeneration } from './load-generation.ts';
import { choosePython, inheritedOf, type RuntimeSource } from './runtime-source.ts';

export interface GenerationLoaderOptions
  extends Omit<LoadOptions, 'debugging' | 'isDeployed' | 'revisionId' | 'launch'> {
  readonly tracing: TracingTarget;
}

/** Loads the graphs of sources, each time into new processes. */
export class GenerationLoader {
  readonly #options: GenerationLoaderOptions;
  readonly #debugging: Debugging;
  #handlers: RuntimeHandlers | undefined;

  constructor(options: GenerationLoaderOptions, debugging: Debugging) {
    this.#options = options;
    this.#debugging = debugging;
  }

  /** Sets the handlers that answer the processes, before anything is loaded. */
  connect(handlers: RuntimeHandlers): void {
    this.#handlers = handlers;
  }

  /** Loads the graphs of a project. @throws the errors of `loadGeneration`. */
  load(project: Project, source: RuntimeSource, signal: AbortSignal): Promise<Generation> {
    if (this.#handlers === undefined) throw new Error('connect() must be called before load().');
    const { deployed } = source;
    const { tracing, log } = this.#options;
    return loadGeneration(
      project,
      runtimeEnvironment(project, tracing, log, inheritedOf(source)),
      choosePython(source, project),
      {
        ...this.#options,
        ...this.#handlers,
        debugging: this.#debugging,
        isDeployed: deployed !== undefined,
        revisionId: deployed?.revisionId ?? null,
        launch: deployed?.launch ?? launchProcess,
      },
      signal,
    );
  }
}
