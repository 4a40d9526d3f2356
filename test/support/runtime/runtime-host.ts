import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { Connection } from '../../../src/runtime/protocol/connection.ts';
import {
  type CheckpointTuple,
  type ExchangeAnswer,
  type ExchangeAnswerParams,
  type ExchangeRecordParams,
  type HttpBodyParams,
  type InitializeResult,
  type LogParams,
  PROTOCOL_VERSION,
  type RunExecuteParams,
  type RunResult,
  type RuntimeRequests,
  type ServerNotifications,
  type ServerRequests,
} from '../../../src/runtime/protocol/protocol.ts';
import { projectRoot } from '../cache.ts';
import type { GraphProject } from '../projects.ts';
import { CheckpointKeeper } from './checkpoint-keeper.ts';
import { ItemKeeper } from './item-keeper.ts';

type NoNotifications = Record<never, never>;
type RuntimeConnection = Connection<RuntimeRequests, NoNotifications, ServerRequests, ServerNotifications>;

export interface RuntimeHostOptions {
  readonly project: GraphProject;
  /** The Node to run it with; the tests' own by default. */
  readonly node?: string;
  /** A runtime other than Node's. */
  readonly command?: { readonly file: string; readonly args: readonly string[] };
  readonly env?: Readonly<Record<string, string>>;
}

/** A run, as observed by the host. */
export interface ObservedRun extends RunResult {
  readonly runId: string;
  readonly threadId: string;
  /** Name and parsed data of every event, in order. */
  readonly events: [name: string, data: unknown][];
}

const SentNotification = z.object({ method: z.string(), params: z.looseObject({}) });
type SentNotification = z.infer<typeof SentNotification>;
/** A line of the protocol: one message or several. */
const Sent = z
  .union([z.array(z.unknown()), z.unknown().transform((one) => [one])])
  .transform((all) => all.flatMap((one) => SentNotification.safeParse(one).data ?? []));

export type RunOptions = Partial<Omit<RunExecuteParams, 'start_from' | 'graph_id'>>;

/** Starts the built runtime and answers its requests like the server, with everything in memory. */
export class RuntimeHost {
  readonly connection: RuntimeConnection;
  readonly checkpoints = new CheckpointKeeper();
  readonly items = new ItemKeeper();
  readonly logs: LogParams[] = [];
  /** The answers of custom applications, piece by piece. */
  readonly bodies: HttpBodyParams[] = [];
  /** The requests of recorded runs. */
  readonly exchanges: ExchangeRecordParams[] = [];
  /** The answers for a replayed run. */
  answerExchange: (asked: ExchangeAnswerParams) => ExchangeAnswer = () => ({ answer: 'live' });
  /** The methods of the runtime's requests, to see how often it sends them. */
  readonly asked: string[] = [];
  readonly protocolErrors: Error[] = [];
  output = '';
  errorOutput = '';
  /** The exit code, or the signal. */
  readonly exited: Promise<number | string>;
  readonly #child: ChildProcess;
  readonly #pipe: Duplex;
  readonly #project: GraphProject;
  readonly #events = new Map<string, [string, unknown][]>();
  readonly #onEvent = new Map<string, (name: string, data: unknown) => void>();

  constructor({ project, node = process.execPath, command, env = {} }: RuntimeHostOptions) {
    this.#project = project;
    const { file, args } = command ?? {
      file: node,
      args: [path.join(projectRoot, 'dist', 'runtime-node.js')],
    };
    this.#child = spawn(file, args, {
      cwd: project.folder,
      env: { ...process.env, AGENT_HARBOR_RUNTIME_FD: '3', LANGSMITH_TRACING: 'false', ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    this.exited = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => resolve(code ?? signal ?? 'unknown'));
    });
    this.#child.stdout?.on('data', (chunk) => (this.output += String(chunk)));
    this.#child.stderr?.on('data', (chunk) => (this.errorOutput += String(chunk)));
    const pipe = this.#child.stdio[3];
    if (!(pipe instanceof Duplex)) throw new Error('The runtime has no pipe.');
    this.#pipe = pipe;
    const asked = <Result>(method: string, result: Result): Result => {
      this.asked.push(method);
      return result;
    };
    this.connection = new Connection<RuntimeRequests, NoNotifications, ServerRequests, ServerNotifications>({
      stream: pipe,
      requests: {
        'checkpoints.sync': () => asked('checkpoints.sync', {}),
        'checkpoints.get': ({ thread_id, checkpoint_ns, checkpoint_id }) =>
          asked('checkpoints.get', {
            tuple: this.checkpoints.get(thread_id, checkpoint_ns, checkpoint_id),
          }),
        'checkpoints.list': (params) => asked('checkpoints.list', { tuples: this.checkpoints.list(params) }),
        'checkpoints.delete_thread': ({ thread_id }) => {
          this.checkpoints.deleteThread(thread_id);
          return asked('checkpoints.delete_thread', {});
        },
        'store.batch': ({ operations }) => asked('store.batch', { answers: this.items.batch(operations) }),
        'exchange.answer': (params) => asked('exchange.answer', this.answerExchange(params)),
        'exchange.read_part': () => {
          throw new Error('There is no recording.');
        },
        'exchange.record_part': () => ({}),
        'model.begin': () => ({}),
      },
      notifications: {
        'run.events': ({ run_id, events }) => {
          for (const [name, text] of events) this.#event(run_id, name, JSON.parse(text));
        },
        'checkpoints.put': (put) => this.checkpoints.put(put),
        'checkpoints.put_writes': (put) => this.checkpoints.putWrites(put),
        'exchange.record': (exchange) => this.exchanges.push(exchange),
        'model.end': () => {},
        'http.body': (part) => this.bodies.push(part),
        log: (entry) => this.logs.push(entry),
      },
      onProtocolError: (error) => this.protocolErrors.push(error),
    });
  }

  /** Reports the notifications of the runtime, grouped as they were sent. */
  watchNotifications(see: (together: readonly SentNotification[]) => void): void {
    let unread = '';
    this.#pipe.on('data', (chunk: Buffer) => {
      const lines = `${unread}${chunk.toString('latin1')}`.split('\n');
      unread = lines.pop() ?? '';
      for (const line of lines) see(Sent.parse(JSON.parse(line)));
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Loads the project's graphs, or only those named. */
  initialize(...ids: string[]): Promise<InitializeResult> {
    const { folder, graphs } = this.#project;
    const wanted = Object.entries(graphs).filter(([id]) => ids.length === 0 || ids.includes(id));
    return this.connection.request('initialize', {
      protocol_version: PROTOCOL_VERSION,
      project_dir: folder,
      graphs: Object.fromEntries(wanted),
    });
  }

  /** Runs a graph to its end, from the current state of its thread. */
  async run(
    graphId: string,
    input: unknown,
    options: RunOptions & { onEvent?: (name: string, data: unknown) => void } = {},
  ): Promise<ObservedRun> {
    const { onEvent, ...params } = options;
    const runId = params.run_id ?? randomUUID();
    const threadId = params.thread_id ?? randomUUID();
    const events: [string, unknown][] = [];
    this.#events.set(runId, events);
    if (onEvent !== undefined) this.#onEvent.set(runId, onEvent);
    const result = await this.connection.request('run.execute', {
      assistant_id: 'assistant',
      attempt: 1,
      input,
      command: null,
      config: {},
      context: {},
      checkpoint: null,
      stream_modes: ['values'],
      stream_subgraphs: false,
      durability: 'async',
      ...params,
      graph_id: graphId,
      run_id: runId,
      thread_id: threadId,
      start_from: this.checkpoints.get(threadId, '', params.checkpoint?.checkpoint_id),
    });
    return { ...result, runId, threadId, events };
  }

  /** The state of a thread as clients would get it, with its writes when the parents are given. */
  async state(
    graphId: string,
    threadId: string,
    subgraphs = false,
    parents?: CheckpointTuple[],
  ): Promise<Record<string, unknown>> {
    const { state } = await this.connection.request('state.get', {
      graph_id: graphId,
      thread_id: threadId,
      config: {},
      context: {},
      checkpoint: null,
      subgraphs,
      start_from: this.checkpoints.get(threadId),
      ...(parents === undefined ? {} : { parents }),
    });
    return JSON.parse(state);
  }

  /** The writes from which each checkpoint was made, newest first, according to the history and to each state. */
  async writes(graphId: string, threadId: string): Promise<unknown[]> {
    const tuples = this.checkpoints.list({ thread_id: threadId, checkpoint_ns: '' });
    const params = { graph_id: graphId, thread_id: threadId, config: {}, context: {} };
    const { states } = await this.connection.request('state.history', { ...params, tuples, parents: [] });
    const history = states.map((text) => JSON.parse(text).metadata.writes);
    for (const [index, tuple] of tuples.entries()) {
      const parent = this.checkpoints.get(threadId, '', tuple.parent_checkpoint_id ?? 'none');
      const { state } = await this.connection.request('state.get', {
        ...params,
        checkpoint: index === 0 ? null : { checkpoint_id: tuple.checkpoint_id },
        subgraphs: false,
        start_from: tuple,
        parents: parent === null ? [] : [parent],
      });
      assert.deepEqual(JSON.parse(state).metadata.writes, history[index]);
    }
    return history;
  }

  /** Forgets the data of a run. */
  forget(runId: string): void {
    this.#events.delete(runId);
    this.#onEvent.delete(runId);
  }

  /** Stops reading from the runtime; the returned function resumes after some milliseconds. */
  pauseReading(): (ms: number) => Promise<void> {
    this.#pipe.pause();
    return async (ms) => {
      await delay(ms);
      this.#pipe.resume();
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.connection.close();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 3000);
    await this.exited;
    clearTimeout(timer);
  }

  #event(runId: string, name: string, data: unknown): void {
    this.#events.get(runId)?.push([name, data]);
    this.#onEvent.get(runId)?.(name, data);
  }
}
