import { isDeepStrictEqual } from 'node:util';
import type { ProblemCode } from '../../../project/problem.ts';
import type { LogBook } from '../output/log-book.ts';
import { findConfigProblems, placeOf } from './config-problems.ts';
import type { Project } from './project.ts';
import { unusedKeys } from './unused-keys.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Problems that loading the graphs does not show. */
const NOTICED: ReadonlySet<ProblemCode> = new Set(['schema', 'unknown-key', 'file-missing', 'env-variable']);

/** Checking takes the server some 50 ms, which belong to the first run. */
const PAUSE_MS = 1_000;

/** Logs problems of a deployment's langgraph.json other than graphs that do not load. */
export class ProjectNotices {
  readonly #log: LogBook;
  #said: readonly string[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(log: LogBook) {
    this.#log = log;
  }

  /**
   * Logs them a moment after the graphs were loaded, unless they are reloaded before. Logs nothing that is the
   * same as the last time.
   * @param environment the variables that the graphs inherit
   */
  saySoon(project: Project, environment: Environment): void {
    this.stop();
    this.#timer = setTimeout(() => {
      this.#say(project, environment).catch((error: unknown) => {
        this.#log.write('DEBUG', `langgraph.json could not be checked: ${String(error)}`);
      });
    }, PAUSE_MS).unref();
  }

  /** Drops pending notices. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  async #say(project: Project, environment: Environment): Promise<void> {
    const { problems, unknownKeys, ofGraphs } = await findConfigProblems(project.configPath, environment);
    const ofFailed = new Set(ofGraphs.values());
    const warnings = problems
      .filter((problem) => NOTICED.has(problem.code) && !ofFailed.has(problem))
      .map((problem) => {
        const { file, line, column } = placeOf(problem);
        return `${file}:${line}:${column}: ${problem.message}`;
      });
    const unused = unusedKeys(project.config).filter((key) => !unknownKeys.has(key.split('.').at(-1) ?? ''));
    const said = [...warnings, ...unused];
    if (isDeepStrictEqual(said, this.#said)) return;
    this.#said = said;
    for (const warning of warnings) this.#log.write('WARNING', warning);
    if (unused.length === 0) return;
    this.#log.write('INFO', `langgraph.json: these settings have no effect locally: ${unused.join(', ')}.`);
  }
}
