import { hasLowOpenFilesLimit, openFilesSentence } from '../../../process/open-files.ts';
import { ignoreRejection, settled } from '../../../process/settled.ts';
import { shorten } from '../../../process/shorten.ts';
import {
  Connection,
  type NotificationHandlers,
  type RequestHandlers,
} from '../../../runtime/protocol/connection.ts';
import {
  type InitializeParams,
  type InitializeResult,
  PROTOCOL_VERSION,
  type RuntimeRequests,
  type ServerNotifications,
  type ServerRequests,
} from '../../../runtime/protocol/protocol.ts';
import { isInspectorLine } from '../output/inspector-lines.ts';
import type { LogBook } from '../output/log-book.ts';
import { followLines } from '../output/output-lines.ts';
import { holdBack } from './hold-back.ts';
import { cpuMsOf, type LoadLimit, LoadWatch } from './load-watch.ts';
import { BY_SIGNAL, type RuntimeChild } from './runtime-child.ts';
import { RuntimeKilledError, RuntimeStartError } from './runtime-errors.ts';
import { WorkClock } from './work-clock.ts';

/** How long a process may take to end by itself before it is killed. */
const SHUTDOWN_MS = 10_000;
/** How many lines of output an error quotes, and how much of each line. */
const MAX_QUOTED_LINES = 8;
const MAX_QUOTED_CHARS = 2_000;

type NoNotifications = Record<never, never>;
export type RuntimeConnection = Connection<
  RuntimeRequests,
  NoNotifications,
  ServerRequests,
  ServerNotifications
>;

/** The server's handlers of the messages from a runtime. */
export interface RuntimeHandlers {
  readonly requests: RequestHandlers<ServerRequests>;
  readonly notifications: NotificationHandlers<ServerNotifications>;
  /** Returns a promise that resolves when the database can be reached again; undefined while it can. */
  readonly databaseBack?: (() => Promise<void> | undefined) | undefined;
}

/** One process that runs a user's graphs, and the connection to it. */
export class RuntimeProcess {
  readonly connection: RuntimeConnection;
  readonly #child: RuntimeChild;
  readonly #log: LogBook;
  /** Resolves when the process has ended, with a clause about how. */
  readonly exited: Promise<string>;
  /** The clock for time limits of its work. It stops, for example, while a debugger pauses the process. */
  readonly clock = new WorkClock();
  /** Whether the process's debugger is open. If so, a process that does not answer may just be paused. */
  isDebugged = false;
  readonly #output: string[] = [];
  #loading: LoadWatch | undefined;
  #isEnding = false;

  constructor(child: RuntimeChild, { databaseBack, ...handlers }: RuntimeHandlers, log: LogBook) {
    this.#log = log;
    this.#child = child;
    const { pipe, exited } = child;
    this.connection = new Connection({
      stream: pipe,
      ...handlers,
      // Requests of runs that are committed together are sent together.
      defer: queueMicrotask,
      onProtocolError: (error) =>
        log.write('ERROR', `The graph runtime violated the protocol: ${error.message}`),
    });
    if (databaseBack !== undefined) holdBack(pipe, this.clock, databaseBack);
    for (const output of child.outputs) this.#follow(output);
    this.exited = exited.finally(() => pipe.destroy());
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /**
   * Loads the graphs.
   * @param limit the limit after which the process is ended; undefined for no limit except the caller's
   * signal.
   * @throws RuntimeStartError when the process exits, hangs, or uses another version of the protocol.
   */
  async initialize(
    params: Omit<InitializeParams, 'protocol_version'>,
    limit: LoadLimit | undefined,
  ): Promise<InitializeResult> {
    const stuck = Promise.withResolvers<never>();
    ignoreRejection(stuck.promise);
    if (limit !== undefined) {
      const cpuMs = () => cpuMsOf(this.pid);
      this.#loading = new LoadWatch(this.clock, limit, cpuMs, (how) => {
        const message = `The graphs were not loaded: their process ${how}. Check for a module that blocks or waits, or set AGENT_HARBOR_LOAD_SECONDS in the env file.`;
        // Imports that cannot open a file may wait forever instead of failing, so the limit of open files is named.
        const files = hasLowOpenFilesLimit() ? ` ${openFilesSentence()}` : '';
        stuck.reject(new RuntimeStartError(`${message}${files}${this.#lastOutput()}`));
      });
    }
    const gone = this.exited.then((how) => {
      const message = `The graph runtime ${how} while it loaded the graphs.${this.#lastOutput()}`;
      throw how.startsWith(BY_SIGNAL) ? new RuntimeKilledError(message) : new RuntimeStartError(message);
    });
    try {
      const answer = this.connection.request('initialize', { protocol_version: PROTOCOL_VERSION, ...params });
      // Only the first outcome counts.
      ignoreRejection(gone);
      ignoreRejection(answer);
      // A request also fails when the process ends. The error of `gone` is better, because it has the reason.
      const result = await Promise.race([answer.catch(() => gone), gone, stuck.promise]);
      if (result.protocol_version !== PROTOCOL_VERSION) {
        throw new RuntimeStartError(
          `The runtime uses protocol version ${result.protocol_version}, but the server uses version ${PROTOCOL_VERSION}.`,
        );
      }
      return result;
    } catch (error) {
      this.kill();
      throw error;
    } finally {
      this.#loading?.end();
      this.#loading = undefined;
    }
  }

  /** Stops the process, by force if needed. */
  async shutdown(): Promise<void> {
    if (this.#isEnding) return void (await this.exited);
    this.#isEnding = true;
    const timer = setTimeout(() => this.kill(), SHUTDOWN_MS);
    await this.#child.beforeEnd?.();
    await settled(this.connection.request('shutdown', {}));
    await this.#child.finish?.();
    this.connection.close();
    await this.exited;
    clearTimeout(timer);
  }

  /** Ends the process at once. */
  kill(): void {
    this.#child.kill();
  }

  #follow({ stream, level }: RuntimeChild['outputs'][number]): void {
    followLines(stream, (line) => {
      if (isInspectorLine(line)) return;
      this.#loading?.progress();
      this.#output.push(shorten(line, MAX_QUOTED_CHARS));
      if (this.#output.length > MAX_QUOTED_LINES) this.#output.shift();
      this.#log.write(level(line), line);
    });
  }

  /** The last output, which often contains the reason why a start failed. */
  #lastOutput(): string {
    return this.#output.length === 0 ? '' : ` Its last output:\n${this.#output.join('\n')}`;
  }
}
