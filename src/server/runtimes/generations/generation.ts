import { randomUUID } from 'node:crypto';
import type { LackingEnv } from '../../../contract/harbor.ts';
import type { FailedExtra, GraphStatus, ProjectExtras } from '../../../runtime/protocol/protocol.ts';
import { extraLanguage, extrasOf } from '../project/extras.ts';
import { type Language, languageOf } from '../project/language.ts';
import type { Project } from '../project/project.ts';
import type { LanguageRuntime } from './language-runtime.ts';

/**
 * How long a retired generation lives without work, so that callers that have just received the generation
 * can still use it.
 */
const RETIREMENT_MS = 2_000;

/** The outcome of loading. */
interface Loaded {
  /** The graphs of all languages, including a language whose process could not be started. */
  readonly graphs: readonly GraphStatus[];
  readonly lackingEnv: LackingEnv | undefined;
  readonly revisionId: string | null;
}

/**
 * The processes that have loaded the same version of a project's sources, one for each language of its graphs. After a
 * reload, the earlier generation is retired.
 */
export class Generation {
  readonly id = randomUUID();
  readonly project: Project;
  /** The revision that was loaded; null for an open folder. */
  readonly revisionId: string | null;
  readonly graphs: readonly GraphStatus[];
  /** The variables that the env file lacks, if they may be why graphs failed. */
  readonly lackingEnv: LackingEnv | undefined;
  readonly runtimes: readonly [LanguageRuntime, ...LanguageRuntime[]];
  /** Resolves when the first of its processes has ended, with a clause such as "exited with code 1". */
  readonly exited: Promise<string>;
  /** Resolves when all of its processes have ended. */
  readonly gone: Promise<unknown>;
  #retirement: NodeJS.Timeout | undefined;

  constructor(
    project: Project,
    runtimes: readonly [LanguageRuntime, ...LanguageRuntime[]],
    { graphs, lackingEnv, revisionId }: Loaded,
  ) {
    this.project = project;
    this.revisionId = revisionId;
    this.lackingEnv = lackingEnv;
    this.runtimes = runtimes;
    const order = Object.keys(project.graphs);
    this.graphs = graphs.toSorted((a, b) => order.indexOf(a.graph_id) - order.indexOf(b.graph_id));
    const exits = runtimes.map(({ process }) => process.exited);
    this.exited = Promise.race(exits);
    this.gone = Promise.all(exits);
  }

  /** Milliseconds since the generation was last used; 0 while it is in use. */
  get idleMs(): number {
    return Math.min(...this.runtimes.map(({ idleMs }) => idleMs));
  }

  /** Extras of its project that did not load. */
  get failedExtras(): readonly FailedExtra[] {
    return this.runtimes.flatMap(({ loaded }) => loaded.failed_extras ?? []);
  }

  graph(graphId: string): GraphStatus | undefined {
    return this.graphs.find((graph) => graph.graph_id === graphId);
  }

  /** The process that has loaded a graph. For an unknown graph, any process, which then reports the error. */
  runtimeOfGraph(graphId: string): LanguageRuntime {
    const { graphs } = this.project;
    const graph = Object.hasOwn(graphs, graphId) ? graphs[graphId] : undefined;
    return this.#runtimeOrAny(graph === undefined ? undefined : languageOf(graph.path));
  }

  /** The process for a language; undefined if neither a graph nor an extra uses the language. */
  runtimeOfLanguage(language: Language): LanguageRuntime | undefined {
    return this.runtimes.find((runtime) => runtime.language === language);
  }

  /** The process that loads an extra. */
  runtimeOfExtra(extra: keyof ProjectExtras): LanguageRuntime {
    const place = extrasOf(this.project)[extra];
    return this.#runtimeOrAny(place === undefined ? undefined : extraLanguage(this.project, place));
  }

  /** Marks the generation as used, because a caller is about to use it. */
  touch(): this {
    for (const runtime of this.runtimes) runtime.touch();
    return this;
  }

  /** Called when no caller gets this generation any longer. Its processes stop shortly after their work. */
  retire(): void {
    if (this.#retirement !== undefined) return;
    this.touch();
    this.#retirement = setInterval(() => {
      if (this.idleMs < RETIREMENT_MS) return;
      clearInterval(this.#retirement);
      void this.shutdown();
    }, RETIREMENT_MS / 4).unref();
    void this.gone.then(() => clearInterval(this.#retirement));
  }

  /** Stops its processes, by force if needed. */
  async shutdown(): Promise<void> {
    await Promise.all(this.runtimes.map(({ process }) => process.shutdown()));
  }

  /** Ends its processes at once. */
  kill(): void {
    for (const { process } of this.runtimes) process.kill();
  }

  #runtimeOrAny(language: Language | undefined): LanguageRuntime {
    return (language === undefined ? undefined : this.runtimeOfLanguage(language)) ?? this.runtimes[0];
  }
}
