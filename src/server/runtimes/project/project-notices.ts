import { isDeepStrictEqual } from 'node:util';
import type { ProblemCode } from '../../../project/problem.ts';
import type { LogBook } from '../output/log-book.ts';
import { findConfigProblems, placeOf } from './config-problems.ts';
import type { Project } from './project.ts';
import { unusedKeys } from './unused-keys.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The kinds of problems that loading the graphs does not reveal. */
const NOTICED: ReadonlySet<ProblemCode> = new Set(['schema', 'unknown-key', 'file-missing', 'env-variable']);

/** The pause before the check. The check takes about 50 ms, which would otherwise delay the first run. */
const PAUSE_MS = 1_000;

/** Logs problems of a deployment's langgraph.json other than graphs that do not load. */
export class ProjectNotices {
  readonly #log: LogBook;
  /** The problems that were logged last. */
  #logged: readonly string[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(log: LogBook) {
    this.#log = log;
  }

  /**
   * Logs problems a moment after the graphs have been loaded, unless the graphs are reloaded first. Nothing
   * is logged if the problems are the same as last time.
   * @param environment the variables that the graphs inherit.
   */
  logSoon(project: Project, environment: Environment): void {
    this.stop();
    this.#timer = setTimeout(() => {
      this.#logProblems(project, environment).catch((error: unknown) => {
        this.#log.write('DEBUG', `langgraph.json could not be checked: ${String(error)}`);
      });
    }, PAUSE_MS).unref();
  }

  /** Drops pending notices. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  async #logProblems(project: Project, environment: Environment): Promise<void> {
    const { problems, unknownKeys, ofGraphs } = await findConfigProblems(project.configPath, environment);
    const ofFailed = new Set(ofGraphs.values());
    const warnings = problems
      .filter((problem) => NOTICED.has(problem.code) && !ofFailed.has(problem))
      .map((problem) => {
        const { file, line, column } = placeOf(problem);
        return `${file}:${line}:${column}: ${problem.message}`;
      });
    const unused = unusedKeys(project.config).filter((key) => !unknownKeys.has(key.split('.').at(-1) ?? ''));
    const found = [...warnings, ...unused];
    if (isDeepStrictEqual(found, this.#logged)) return;
    this.#logged = found;
    for (const warning of warnings) this.#log.write('WARNING', warning);
    if (unused.length === 0) return;
    this.#log.write('INFO', `langgraph.json: these settings have no effect locally: ${unused.join(', ')}.`);
  }
}
