import type { RuntimeProgram } from '../../../contract/harbor.ts';
import type { IdleMemory } from '../../../process/idle-memory.ts';
import type { InitializeResult } from '../../../runtime/protocol/protocol.ts';
import type { RuntimeConnection, RuntimeProcess } from '../process/runtime-process.ts';
import type { Language } from '../project/language.ts';

/** One process of a generation, with the graphs of one language. Counts the work in progress. */
export class LanguageRuntime {
  readonly language: Language;
  readonly process: RuntimeProcess;
  readonly loaded: InitializeResult;
  /** The interpreter that it runs on. */
  readonly program: RuntimeProgram;
  readonly #memory: IdleMemory;
  #inFlight = 0;
  #usedAt = performance.now();

  constructor(
    language: Language,
    process: RuntimeProcess,
    loaded: InitializeResult,
    found: Pick<RuntimeProgram, 'executable' | 'origin' | 'install'>,
    memory: IdleMemory,
  ) {
    this.#memory = memory;
    this.language = language;
    this.process = process;
    this.loaded = loaded;
    const { language_version, langgraph_version } = loaded;
    this.program = { language: loaded.language, language_version, langgraph_version, ...found };
  }

  get connection(): RuntimeConnection {
    return this.process.connection;
  }

  /** Milliseconds since the process was last used; 0 while it is in use. */
  get idleMs(): number {
    return this.#inFlight > 0 ? 0 : performance.now() - this.#usedAt;
  }

  /** Marks the process as used, because a caller is about to use it. */
  touch(): void {
    this.#usedAt = performance.now();
  }

  /** Runs work, and keeps the process running until it has ended, even if the process is retired. */
  async use<Result>(work: (connection: RuntimeConnection) => Promise<Result>): Promise<Result> {
    this.#inFlight++;
    try {
      return await this.#memory.after(work(this.connection));
    } finally {
      this.#inFlight--;
      this.#usedAt = performance.now();
    }
  }
}
