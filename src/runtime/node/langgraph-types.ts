/**
 * The part of LangGraph that this runtime uses, as every supported version (1.1 and later) has it. The user's
 * own packages are only known when they have been loaded, so these types describe their objects.
 */

/** A `RunnableConfig`. */
export interface GraphConfig {
  configurable?: Record<string, unknown>;
  metadata?: Record<string, unknown>;
  [key: string]: unknown;
}

/** A channel of a graph. */
export interface GraphChannel {
  lc_graph_name?: string;
  /** Makes a new channel from a stored value. */
  fromCheckpoint(value: unknown): { get(): unknown; isAvailable(): boolean };
}

export interface GraphNode {
  triggers: string[];
  /**
   * The channels that the node reads: one for each key of its input, or a list, of which it reads the first
   * that has a value.
   */
  channels: string | string[] | Record<string, string>;
  bound?: unknown;
  subgraphs?: unknown[];
}

export interface StateTask {
  id: string;
  name: string;
  path?: unknown;
  error?: unknown;
  interrupts?: unknown[];
  state?: StateSnapshot | GraphConfig;
  result?: unknown;
}

/** The result of `getState`. */
export interface StateSnapshot {
  values: unknown;
  next: string[];
  tasks: StateTask[];
  metadata?: Record<string, unknown>;
  config: GraphConfig;
  parentConfig?: GraphConfig;
  createdAt?: string;
}

/** An event of `streamEvents`, version 2. */
export interface RunnableEvent {
  event: string;
  name: string;
  run_id: string;
  tags?: string[];
  metadata?: Record<string, unknown>;
  data: { chunk?: unknown; [key: string]: unknown };
}

export interface SuperstepUpdate {
  values?: unknown;
  asNode?: string;
}

/** The part of a `StreamTransformer` that the runtime needs. */
export interface StreamTransformer {
  finalize?(): unknown;
  fail?(error: unknown): void;
}

/** A compiled graph: a `Pregel`. */
export interface Graph {
  readonly lg_is_pregel: true;
  name?: string;
  readonly nodes: Record<string, GraphNode>;
  readonly channels: Record<string, GraphChannel>;
  readonly inputChannels: string | string[];
  readonly outputChannels: string | string[];
  readonly streamChannelsAsIs: string | string[];
  readonly interruptBefore?: string[] | '*';
  readonly interruptAfter?: string[] | '*';
  /** The builder of a graph made with `StateGraph`. */
  readonly builder?: unknown;
  /**
   * The transformers that the graph was compiled with (`compile({ transformers })`), in versions that
   * support them.
   */
  readonly streamTransformers?: readonly (() => StreamTransformer)[];
  checkpointer?: unknown;
  store?: unknown;
  getName(): string;
  stream(input: unknown, options: GraphConfig): Promise<AsyncIterable<unknown>>;
  streamEvents(input: unknown, options: GraphConfig): AsyncIterable<RunnableEvent>;
  getState(config: GraphConfig, options?: { subgraphs?: boolean }): Promise<StateSnapshot>;
  getStateHistory(config: GraphConfig): AsyncIterable<StateSnapshot>;
  bulkUpdateState(config: GraphConfig, supersteps: { updates: SuperstepUpdate[] }[]): Promise<GraphConfig>;
  getGraphAsync(config: GraphConfig): Promise<{ toJSON(): { nodes: object[]; edges: object[] } }>;
  getSubgraphsAsync(namespace?: string, recurse?: boolean): AsyncIterable<[string, Graph]>;
}

/** A graph that has been built but not compiled, such as a `StateGraph`. */
export interface GraphBuilder {
  compile(): unknown;
}

/** A function that makes the graph of each run. */
export type GraphFactory = (config: GraphConfig, runtime: FactoryRuntime) => unknown;

/** The second argument of a factory: why the graph is made. */
export interface FactoryRuntime {
  accessContext: 'threads.create_run' | 'threads.read' | 'threads.update' | 'assistants.read';
  executionRuntime: { context: unknown } | null;
}

/** Whether a value is an object; arrays are objects, too. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/**
 * Whether a value is a graph. Unlike `instanceof`, this works across copies of LangGraph, and across its ESM
 * and CommonJS forms.
 */
export function isGraph(value: unknown): value is Graph {
  return isRecord(value) && value.lg_is_pregel === true && typeof value.stream === 'function';
}

export function isGraphBuilder(value: unknown): value is GraphBuilder {
  return isRecord(value) && !isGraph(value) && typeof value.compile === 'function';
}
