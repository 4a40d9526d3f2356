import type { StateSummary } from '../../protocol/protocol.ts';
import type { Checkpointer } from '../checkpoints/checkpointer.ts';
import type { Checkpoint } from '../checkpoints/saved-checkpoint.ts';
import type { Graph, GraphConfig, StateSnapshot } from '../langgraph-types.ts';
import { toJsonText } from '../link/wire-format.ts';

const SENDS = '__pregel_tasks';

/**
 * The part of a thread's newest state that is stored in its row. A finished run's state is taken from the last
 * checkpoint, which is still in memory, since `getState` would deserialize the whole state once more; after interrupts,
 * errors and cancellations LangGraph is asked.
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
 * The nodes that a continued run would begin with. If all of a superstep's nodes have finished their writes and
 * its checkpoint was not stored, LangGraph names none, though the graph has not reached its end.
 */
function nextNodesOf({ next, tasks }: StateSnapshot): string[] {
  return next.length > 0 ? next : tasks.map(({ name }) => name);
}

/** Whether no node has an unseen trigger and no `Send` is pending: what LangGraph checks before a step. */
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

/** The state in a checkpoint; undefined when a channel has to be rebuilt from its history (a delta channel). */
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

/** A channel's value from what it stored; undefined when it is empty, in which case channels throw. */
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
