import type { BaseCheckpointSaver, MemorySaver } from '@langchain/langgraph';
import type { Checkpoint } from '../checkpoints/saved-checkpoint.ts';
import { BRANCH, SENDS } from '../langgraph/channel-names.ts';
import type { UserLangGraph } from '../langgraph/user-langgraph.ts';
import { type Graph, type GraphConfig, isRecord } from '../langgraph-types.ts';
import type { ChannelWrite } from './task-result.ts';

/** A node to run alone. */
export interface LoneNode {
  readonly graph: Graph;
  readonly node: string;
  readonly input: unknown;
  /** The checkpoint from which the node runs; if undefined, it runs from an empty state. */
  readonly checkpoint: Checkpoint | undefined;
  readonly metadata: Record<string, unknown>;
  readonly serde: BaseCheckpointSaver['serde'];
  /** The answers to the node's interrupts, in their order. */
  readonly answers: readonly unknown[];
  readonly config: GraphConfig;
  readonly signal: AbortSignal;
}

/** How a node that ran alone ended. */
export interface LoneRun {
  readonly writes: readonly ChannelWrite[];
  readonly isCommand: boolean;
  /** The thrown value, if any. */
  readonly failure: { readonly thrown: unknown } | undefined;
}

/** The task that LangGraph gives writes outside of tasks, such as the input. */
const NO_TASK = '00000000-0000-0000-0000-000000000000';

/**
 * Runs one node in LangGraph: a `Send` starts it from the checkpoint, in a superstep without other tasks. Its
 * writes go to LangGraph's own saver in memory, so that the thread stays unchanged.
 */
export async function runAlone(langgraph: UserLangGraph, lone: LoneNode): Promise<LoneRun> {
  const { graph, node, input, answers, config, signal } = lone;
  const { MemorySaver: Saver, emptyCheckpoint } = await importCheckpointModule(langgraph);
  const saver = new Saver(lone.serde);
  const writes = collectWrites(saver);
  await putStart(saver, lone, emptyCheckpoint);
  const alone: Graph = Object.create(graph, {
    checkpointer: { value: saver },
    interruptBefore: { value: [] },
    cache: { value: undefined },
  });
  const outcome = new NodeOutcome(node, langgraph);
  const options = {
    ...config,
    signal,
    durability: 'sync',
    interruptAfter: '*',
    streamMode: ['updates'],
    callbacks: [outcome],
  };
  const { Command, Send } = langgraph;
  let next: unknown = new Command({ goto: [new Send(node, input)] });
  const unusedAnswers = [...answers];
  try {
    for (;;) {
      for await (const _ of await alone.stream(next, options));
      const isAsking = writes.some(([channel]) => channel === '__interrupt__');
      if (!isAsking || unusedAnswers.length === 0) break;
      writes.length = 0;
      next = new Command({ resume: unusedAnswers.shift() });
    }
  } catch (thrown) {
    if (outcome.toParent === undefined) return { writes, isCommand: outcome.isCommand, failure: { thrown } };
  }
  const { toParent, isCommand } = outcome;
  return { writes: toParent ?? writes, isCommand, failure: undefined };
}

/** @returns a list to which the writes of the node's task are added as the saver gets them */
function collectWrites(saver: MemorySaver): ChannelWrite[] {
  const writes: ChannelWrite[] = [];
  const { putWrites } = saver;
  saver.putWrites = (at, written, taskId) => {
    const isOwn = (at.configurable?.checkpoint_ns ?? '') === '' && taskId !== NO_TASK;
    if (isOwn) writes.push(...written.map(([channel, value]): ChannelWrite => [String(channel), value]));
    return putWrites.call(saver, at, written, taskId);
  };
  return writes;
}

/** Stores the checkpoint from which the node runs. */
async function putStart(
  saver: MemorySaver,
  { graph, checkpoint, config, metadata }: LoneNode,
  emptyCheckpoint: () => Checkpoint,
): Promise<void> {
  const { thread_id } = config.configurable ?? {};
  const at = { configurable: { thread_id, checkpoint_ns: '' } };
  const start = checkpoint ?? { ...emptyCheckpoint(), channel_versions: { __start__: 1 } };
  await saver.put(at, withNothingDue(start, graph), { source: 'loop', step: 0, parents: {}, ...metadata });
}

/** A checkpoint with the same state, but without triggered nodes and pending `Send`s. */
function withNothingDue(checkpoint: Checkpoint, { nodes }: Graph): Checkpoint {
  const { [SENDS]: _, ...channel_values } = checkpoint.channel_values;
  const seen = Object.keys(nodes).map((node) => [node, { ...checkpoint.channel_versions }] as const);
  return {
    ...checkpoint,
    channel_values,
    versions_seen: { ...checkpoint.versions_seen, ...Object.fromEntries(seen) },
  };
}

/** A callback handler that observes how a node's function ends, because its writes do not show that. */
class NodeOutcome {
  readonly awaitHandlers = true;
  /** Whether the node returned a `Command`. */
  isCommand = false;
  /** Writes from a subgraph's node to the parent graph. */
  toParent: ChannelWrite[] | undefined;
  readonly #node: string;
  readonly #Command: UserLangGraph['Command'];
  #runId: string | undefined;

  constructor(node: string, { Command }: UserLangGraph) {
    this.#node = node;
    this.#Command = Command;
  }

  readonly handleChainStart = (...[, , runId, parent, , , , name]: readonly unknown[]): void => {
    if (name === this.#node && parent !== undefined) this.#runId ??= String(runId);
  };

  readonly handleChainEnd = (outputs: unknown, runId: string): void => {
    if (runId !== this.#runId) return;
    const output = isRecord(outputs) && 'output' in outputs ? outputs.output : outputs;
    const all: unknown[] = Array.isArray(output) ? output : [output];
    this.isCommand = all.some((each) => each instanceof this.#Command);
  };

  readonly handleChainError = (error: unknown, runId: string): void => {
    if (runId !== this.#runId || !isRecord(error) || error.name !== 'ParentCommand') return;
    this.isCommand = true;
    this.toParent = commandWrites(error.command);
  };
}

/** The writes of a command to the parent graph, which LangGraph does not store in the subgraph. */
function commandWrites(command: unknown): ChannelWrite[] {
  if (!isRecord(command)) return [];
  const { update, goto } = command;
  const updates: unknown[][] = Array.isArray(update)
    ? update
    : Object.entries(isRecord(update) ? update : {});
  const targets: unknown[] = goto === undefined ? [] : [goto].flat();
  return [
    ...updates.map(([channel, value]): ChannelWrite => [String(channel), value]),
    ...targets.map((to): ChannelWrite => (isRecord(to) ? [SENDS, to] : [`${BRANCH}${String(to)}`, null])),
  ];
}

interface CheckpointModule {
  readonly MemorySaver: typeof MemorySaver;
  readonly emptyCheckpoint: () => Checkpoint;
}

async function importCheckpointModule(langgraph: UserLangGraph): Promise<CheckpointModule> {
  const module = await langgraph.importModule('@langchain/langgraph-checkpoint');
  if (!isCheckpointModule(module)) throw new Error('@langchain/langgraph-checkpoint has no MemorySaver.');
  return module;
}

function isCheckpointModule(module: object): module is CheckpointModule {
  return 'MemorySaver' in module && 'emptyCheckpoint' in module;
}
