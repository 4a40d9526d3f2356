import type { StateSummary } from '../../protocol/protocol.ts';
import type { Checkpointer } from '../checkpoints/checkpointer.ts';
import type { Checkpoint } from '../checkpoints/saved-checkpoint.ts';
import { SENDS } from '../langgraph/channel-names.ts';
import type { Graph, GraphConfig, StateSnapshot } from '../langgraph-types.ts';
import { toJsonText } from '../link/wire-format.ts';

/**
 * Summarizes a thread's state after a run, for the thread's row. The state of a finished run is read from
 * the last checkpoint in memory, because `getState` would deserialize the whole state again. `getState` is
 * called only if the run did not finish (an interrupt, an error or a cancellation), or if a channel has to
 * be rebuilt from its history.
 * @param sentValues the newest streamed state, if any
 */
export async function summarizeRun(
  graph: Graph,
  config: GraphConfig,
  checkpointer: Checkpointer,
  sentValues: string | undefined,
): Promise<StateSummary> {
  const newest = checkpointer.newestRoot;
  if (newest === undefined || newest.hasWrites || !isFinished(graph, newest.checkpoint)) {
    return summarizeSnapshot(await graph.getState(config));
  }
  const { checkpoint } = newest;
  const values = readValues(graph, checkpoint);
  if (values === undefined) return summarizeSnapshot(await graph.getState(config));
  const sameAsSent = sentValues !== undefined && sameChannels(graph.outputChannels, graph.streamChannelsAsIs);
  return {
    values: sameAsSent ? sentValues : toJsonText(values),
    next: [],
    interrupts: '{}',
    checkpoint_id: checkpoint.id,
  };
}

/** Summarizes a thread's state as `getState` returns it. */
export function summarizeSnapshot(snapshot: StateSnapshot): StateSummary {
  const interrupts: Record<string, unknown> = {};
  for (const task of snapshot.tasks) {
    if (task.interrupts !== undefined && task.interrupts.length > 0) interrupts[task.id] = task.interrupts;
  }
  const id = snapshot.config.configurable?.checkpoint_id;
  return {
    values: toJsonText(snapshot.values),
    next: nextNodesOf(snapshot),
    interrupts: toJsonText(interrupts),
    checkpoint_id: typeof id === 'string' ? id : null,
  };
}

/**
 * The nodes that a continued run would begin with. LangGraph lists none if all nodes of a superstep have
 * written, but its checkpoint was not stored, although the graph has not reached its end.
 */
function nextNodesOf({ next, tasks }: StateSnapshot): string[] {
  return next.length > 0 ? next : tasks.map(({ name }) => name);
}

/** Whether no node is triggered and no `Send` is pending, as LangGraph checks before a superstep. */
function isFinished(graph: Graph, { channel_values, channel_versions, versions_seen }: Checkpoint): boolean {
  const sends = readChannel(graph, SENDS, channel_values[SENDS]);
  if (Array.isArray(sends) && sends.length > 0) return false;
  return Object.entries(graph.nodes).every(([name, node]) => {
    const seen = versions_seen[name] ?? {};
    return node.triggers.every(
      (channel) =>
        !(channel in channel_values) || Number(channel_versions[channel] ?? 0) <= Number(seen[channel] ?? 0),
    );
  });
}

/**
 * The state in a checkpoint; undefined when a channel has to be rebuilt from its history (a delta channel).
 */
function readValues(graph: Graph, { channel_values, channel_versions }: Checkpoint): unknown {
  const { streamChannelsAsIs: channels } = graph;
  const values: Record<string, unknown> = {};
  for (const name of Array.isArray(channels) ? channels : [channels]) {
    if (!(name in channel_values)) {
      if (isRebuilt(graph.channels[name]) && channel_versions[name] !== undefined) return undefined;
      continue;
    }
    const value = readChannel(graph, name, channel_values[name]);
    if (value !== undefined) values[name] = value;
  }
  return Array.isArray(channels) ? values : (values[channels] ?? null);
}

/** Whether a channel's value is rebuilt from its writes in earlier checkpoints. */
export function isRebuilt(channel: Graph['channels'][string] | undefined): boolean {
  return channel?.lc_graph_name === 'DeltaChannel';
}

/** Reads the value of a channel; undefined when it is empty, in which case the channel throws. */
function readChannel(graph: Graph, name: string, stored: unknown): unknown {
  try {
    return graph.channels[name]?.fromCheckpoint(stored).get();
  } catch {
    return undefined;
  }
}

function sameChannels(a: string | string[], b: string | string[]): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return a === b;
  return a.length === b.length && a.every((channel, index) => channel === b[index]);
}
