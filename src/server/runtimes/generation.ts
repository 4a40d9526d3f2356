import type { GraphStatus, InitializeResult } from '../../runtime/protocol/protocol.ts';
import type { RuntimeConnection, RuntimeProcess } from './runtime-process.ts';

/** One loading of a deployment's graphs: a process, what it loaded, and how much still runs in it. */
export class Generation {
  readonly process: RuntimeProcess;
  readonly loaded: InitializeResult;
  #inFlight = 0;
  #retired = false;

  constructor(process: RuntimeProcess, loaded: InitializeResult) {
    this.process = process;
    this.loaded = loaded;
  }

  get connection(): RuntimeConnection {
    return this.process.connection;
  }

  graph(graphId: string): GraphStatus | undefined {
    return this.loaded.graphs.find((graph) => graph.graph_id === graphId);
  }

  /** Keeps the process alive, also when retired, until the work has ended. */
  async use<Result>(work: (connection: RuntimeConnection) => Promise<Result>): Promise<Result> {
    this.#inFlight++;
    try {
      return await work(this.connection);
    } finally {
      this.#inFlight--;
      if (this.#retired && this.#inFlight === 0) void this.process.shutdown();
    }
  }

  /** No new work: the process ends when its last work has. */
  retire(): void {
    this.#retired = true;
    if (this.#inFlight === 0) void this.process.shutdown();
  }
}
