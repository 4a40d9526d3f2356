import { z } from 'zod';
import type { ProtocolCommand, ProtocolResponse } from '../../../../contract/agent-server/protocol.ts';
import { RunCreate } from '../../../../contract/agent-server/runs.ts';
import { ThreadState } from '../../../../contract/agent-server/threads.ts';
import { JsonObject } from '../../../../contract/fields.ts';
import { pause } from '../../../../process/pause.ts';
import type { RunAuthor } from '../../auth/run-author.ts';
import type { RunRow } from '../../data/run-store.ts';
import { waitsForAnswer } from '../../data/thread-store.ts';
import type { RunRequests } from '../../requests/run-requests.ts';
import type { Runs } from '../../runs/runs.ts';
import type { ThreadStates } from '../../states/thread-states.ts';
import type { Threads } from '../../threads/threads.ts';
import type { ThreadSource } from '../follow-thread.ts';
import { readAgentTree } from './agent-tree.ts';
import {
  CommandAsInput,
  GetTree,
  InputInject,
  InputRespond,
  Interrupts,
  ListCheckpoints,
  parseParams,
  RunStart,
  StateFork,
  StateGet,
} from './command-params.ts';
import { ProtocolError } from './protocol-error.ts';
import { seqBefore } from './protocol-feed.ts';
import { PROTOCOL_MODES, projectionOf } from './run-projection.ts';

/** The runs of threads, which commands follow and wait for. */
export interface CommandSource extends ThreadSource {
  readonly runs: ThreadSource['runs'] & Pick<Runs, 'waitForResult'>;
}

export interface ProtocolCommandsOptions {
  readonly source: CommandSource;
  readonly requests: RunRequests;
  readonly threads: Threads;
  readonly states: ThreadStates;
}

/** How long a command waits for a run to end after its interrupt. */
const MAX_END_MS = 15_000;
/** The number of checkpoints that are listed if the client does not specify it. */
const DEFAULT_CHECKPOINTS = 10;

/** The result of a command. */
interface Done {
  readonly result: JsonObject;
  /**
   * The position in the thread of the run that the result is about, or else of the newest. All events of the runs before it have been
   * applied.
   */
  readonly order: number;
}

/** Executes the commands of the v2 protocol, except subscriptions. */
export class ProtocolCommands {
  readonly #options: ProtocolCommandsOptions;
  constructor(options: ProtocolCommandsOptions) {
    this.#options = options;
  }

  /** Executes a command. @throws ProtocolError, HttpError */
  async execute(threadId: string, command: ProtocolCommand, author: RunAuthor): Promise<ProtocolResponse> {
    const { result, order } = await this.#run(threadId, command, author);
    const meta = { applied_through_seq: seqBefore(order), thread_id: threadId };
    return { type: 'success', id: command.id, result, meta };
  }

  async #run(threadId: string, { method, params }: ProtocolCommand, author: RunAuthor): Promise<Done> {
    const input = params ?? {};
    switch (method) {
      case 'run.start':
        return this.#start(threadId, parseParams(RunStart, input), author);
      case 'input.respond':
        return this.#respond(threadId, parseParams(InputRespond, input), author);
      case 'state.get':
        return this.#readState(threadId, parseParams(StateGet, input));
      case 'state.listCheckpoints':
        return this.#listCheckpoints(threadId, parseParams(ListCheckpoints, input));
      case 'state.fork':
        return this.#fork(threadId, parseParams(StateFork, input), author);
      case 'agent.getTree':
        return this.#readTree(threadId, parseParams(GetTree, input));
      case 'input.inject':
        return this.#inject(threadId, parseParams(InputInject, input), author);
      case 'subscription.subscribe':
      case 'subscription.unsubscribe':
      case 'subscription.reconnect':
        throw new ProtocolError(
          'not_supported',
          'Subscriptions need a WebSocket. Over HTTP, use POST stream/events.',
        );
      default:
        throw new ProtocolError('unknown_command', `Unknown command '${method.slice(0, 64)}'.`);
    }
  }

  /**
   * Starts a run. If the thread waits for an answer, the input is that answer, unless it is a run that
   * cannot answer.
   */
  async #start(threadId: string, start: z.output<typeof RunStart>, author: RunAuthor): Promise<Done> {
    const { checkpoint_id, ...configurable } = start.config?.configurable ?? {};
    // RemoteGraph in JavaScript sends a command in place of the input.
    const given = CommandAsInput.safeParse(start.input).data;
    const command = start.command ?? given;
    const input = given === undefined ? (start.input ?? null) : null;
    // These runs answer nothing: a fork, a run with a command, and a run without input, which continues from
    // the thread's current position.
    const answersNothing = input === null || command != null || typeof checkpoint_id === 'string';
    const resumes = !answersNothing && (await this.#isWaiting(threadId));
    return this.#accept(
      threadId,
      {
        assistant_id: start.assistant_id,
        ...(resumes ? { command: { resume: input } } : { input, command }),
        config: { ...start.config, configurable },
        metadata: start.metadata,
        langsmith_tracer: start.langsmith_tracer,
        multitask_strategy: start.multitask_strategy ?? start.multitaskStrategy,
        strict_resume: start.strict_resume,
        max_cost: start.max_cost,
        ...(typeof checkpoint_id === 'string' ? { checkpoint_id } : {}),
      },
      author,
    );
  }

  /**
   * Whether a thread waits for an answer. If its last run has asked but not ended yet, its end is awaited
   * first, but not for longer than `MAX_END_MS`.
   */
  async #isWaiting(threadId: string): Promise<boolean> {
    const last = await this.#findLastRun(threadId);
    // The answer may arrive before the run that asked for it has ended.
    if (last?.ended_at === null && (await this.#hasAsked(last))) await this.#waitForLastRun(threadId);
    return waitsForAnswer(await this.#options.threads.find(threadId));
  }

  /** Whether a run has asked for input. */
  async #hasAsked(run: RunRow): Promise<boolean> {
    const projection = projectionOf(run);
    const stream = await this.#options.source.runs.stream(run);
    for await (const events of stream.readStored(0)) {
      const projected = events.flatMap((event) => projection.event(event));
      if (projected.some(({ method }) => method === 'input.requested')) return true;
    }
    return false;
  }

  /** Answers interrupts by ID: a new run resumes with the answers. */
  async #respond(threadId: string, answer: z.output<typeof InputRespond>, author: RunAuthor): Promise<Done> {
    const responses = answer.responses ?? (answer.interrupt_id === undefined ? [] : [answer]);
    let known = await this.#readInterruptIds(threadId);
    if (responses.some(({ interrupt_id = '' }) => !known.has(interrupt_id))) {
      // The interrupt is streamed just before its run ends, but the thread is only interrupted at the end.
      await this.#waitForLastRun(threadId);
      known = await this.#readInterruptIds(threadId);
    }
    const resume: JsonObject = {};
    for (const { interrupt_id = '', response } of responses) {
      if (!known.has(interrupt_id)) {
        throw new ProtocolError(
          'no_such_interrupt',
          `Interrupt '${interrupt_id}' is not pending on this thread.`,
        );
      }
      resume[interrupt_id] = response ?? null;
    }
    const last = await this.#requireLastRun(threadId);
    const { update, goto, config, metadata } = answer;
    return this.#accept(
      threadId,
      {
        assistant_id: last.assistant_id,
        command: {
          resume,
          ...(update === undefined ? {} : { update }),
          ...(goto === undefined ? {} : { goto }),
        },
        config,
        metadata,
      },
      author,
    );
  }

  async #readInterruptIds(threadId: string): Promise<ReadonlySet<string>> {
    const thread = await this.#options.threads.require(threadId);
    const byTask = Interrupts.parse(JSON.parse(thread.interrupts));
    return new Set(Object.values(byTask).flatMap((list) => list.flatMap(({ id }) => id ?? [])));
  }

  /** Waits until the last run of a thread has ended, but not for longer than `MAX_END_MS`. */
  async #waitForLastRun(threadId: string): Promise<void> {
    const last = await this.#findLastRun(threadId);
    if (last === undefined || last.ended_at !== null) return;
    const waited = new AbortController();
    const ended = this.#options.source.runs.waitForResult(last);
    await Promise.race([ended, pause(MAX_END_MS, { signal: waited.signal })]);
    waited.abort();
  }

  /**
   * Handles an injected message as the input of a new run, immediately if the thread is idle, otherwise after
   * the current run. LangGraph cannot change a running superstep, and discarding a node's work would be
   * wrong.
   */
  async #inject(threadId: string, inject: z.output<typeof InputInject>, author: RunAuthor): Promise<Done> {
    const last = await this.#requireLastRun(threadId);
    if (inject.namespace.length > 0) {
      throw new ProtocolError('no_such_namespace', 'Messages can only be injected into the root graph.');
    }
    return this.#accept(
      threadId,
      {
        assistant_id: last.assistant_id,
        input: { messages: [inject.message] },
        multitask_strategy: 'enqueue',
      },
      author,
    );
  }

  async #readState(threadId: string, { namespace, keys }: z.output<typeof StateGet>): Promise<Done> {
    const { threads, states } = this.#options;
    const { text } = await states.get(await threads.require(threadId), {
      subgraphs: false,
      ...(namespace.length === 0 ? {} : { checkpoint: { checkpoint_ns: namespace.join('|') } }),
    });
    const state = ThreadState.parse(JSON.parse(text));
    const values = JsonObject.catch({}).parse(state.values);
    const { checkpoint_id, checkpoint_ns } = state.checkpoint;
    return {
      result: {
        values:
          keys == null
            ? values
            : Object.fromEntries(Object.entries(values).filter(([key]) => keys.includes(key))),
        ...(checkpoint_id == null ? {} : { checkpoint: { id: checkpoint_id, ns: checkpoint_ns ?? '' } }),
      },
      order: await this.#findLastOrder(threadId),
    };
  }

  async #listCheckpoints(threadId: string, asked: z.output<typeof ListCheckpoints>): Promise<Done> {
    const { threads, states } = this.#options;
    const { text } = await states.readHistory(await threads.require(threadId), {
      limit: asked.limit ?? DEFAULT_CHECKPOINTS,
      before: asked.before ?? undefined,
      checkpointNs: asked.namespace?.join('|'),
    });
    const checkpoints = z
      .array(ThreadState)
      .parse(JSON.parse(text))
      .map((state) => ({
        id: state.checkpoint.checkpoint_id,
        timestamp: state.created_at,
        step: state.metadata?.step ?? -1,
        metadata: state.metadata ?? {},
      }));
    return { result: { checkpoints }, order: await this.#findLastOrder(threadId) };
  }

  async #fork(threadId: string, fork: z.output<typeof StateFork>, author: RunAuthor): Promise<Done> {
    const last = await this.#requireLastRun(threadId);
    const done = await this.#accept(
      threadId,
      {
        assistant_id: last.assistant_id,
        input: fork.input ?? null,
        config: fork.config,
        checkpoint_id: fork.checkpoint_id,
      },
      author,
    );
    return { ...done, result: { ...done.result, thread_id: threadId } };
  }

  async #readTree(threadId: string, { run_id }: z.output<typeof GetTree>): Promise<Done> {
    const { source, threads } = this.#options;
    await threads.require(threadId);
    const run = run_id == null ? await this.#findLastRun(threadId) : await source.runs.find(run_id);
    if (run === undefined || run.thread_id !== threadId) {
      throw new ProtocolError('no_such_run', 'Run not found on this thread.');
    }
    return { result: { tree: await readAgentTree(source, run) }, order: run.thread_order };
  }

  /** Starts a run that streams everything that the protocol has channels for. */
  async #accept(threadId: string, body: object, author: RunAuthor): Promise<Done> {
    const request = RunCreate.parse({
      ...body,
      stream_subgraphs: true,
      stream_resumable: true,
      if_not_exists: 'create',
    });
    const modes = { ...request, stream_mode: [...PROTOCOL_MODES] };
    const run = await this.#options.requests.createOnThread(threadId, modes, author);
    return { result: { run_id: run.identity.runId }, order: await this.#findLastOrder(threadId) };
  }

  async #findLastOrder(threadId: string): Promise<number> {
    return (await this.#findLastRun(threadId))?.thread_order ?? 0;
  }

  /** The newest run of a thread. @throws ProtocolError if there is none. */
  async #requireLastRun(threadId: string) {
    const last = await this.#findLastRun(threadId);
    if (last === undefined) throw new ProtocolError('no_such_run', 'The thread has no runs yet.');
    return last;
  }

  #findLastRun(threadId: string) {
    return this.#options.source.db
      .selectFrom('runs')
      .selectAll()
      .where('thread_id', '=', threadId)
      .orderBy('thread_order', 'desc')
      .limit(1)
      .executeTakeFirst();
  }
}
