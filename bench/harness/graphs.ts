/** How a graph in `bench/graphs` is run, and the output that a run needs in order to count. */
export interface BenchGraph {
  readonly id: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly streamMode: 'updates' | 'custom' | 'messages-tuple';
  /** The name of the events that carry the graph's output. */
  readonly event: 'updates' | 'custom' | 'messages';
  /** The minimum number of such events in a complete run. */
  readonly events: number;
  /** Whether the responses of its models and tools are recorded. */
  readonly record?: boolean;
}

const counter = { input: { count: 0 } };

export const oneNode: BenchGraph = {
  ...counter,
  id: 'one_node',
  streamMode: 'updates',
  event: 'updates',
  events: 1,
};

export const tenNodes: BenchGraph = { ...oneNode, id: 'ten_nodes', events: 10 };

export const customEvents: BenchGraph = {
  ...counter,
  id: 'custom_events',
  streamMode: 'custom',
  event: 'custom',
  events: 1_000,
};

export const emitThenWork: BenchGraph = { ...customEvents, id: 'emit_then_work', events: 1 };

export const emitThenCompute: BenchGraph = { ...emitThenWork, id: 'emit_then_compute' };

export const messages: BenchGraph = {
  id: 'messages',
  input: { messages: [{ role: 'user', content: 'Count.' }] },
  streamMode: 'messages-tuple',
  event: 'messages',
  events: 200,
};
