import { z } from 'zod';
import { hasMember } from '../../../storage/dialect-expressions.ts';
import type { StateDatabase } from '../../../storage/state-database.ts';
import { parseStored, readStoredObject } from '../../../storage/stored-json.ts';

/**
 * Some channels (`DeltaChannel`) store their value only occasionally. LangGraph rebuilds it from the writes
 * of earlier checkpoints, back to one that has it. The required checkpoints can be found without the graph:
 * LangGraph counts in a checkpoint's metadata, by channel, how long ago each value was stored.
 * (https://reference.langchain.com/python/langgraph.checkpoint/base/BaseCheckpointSaver/prune)
 */
const COUNTERS = 'counters_since_delta_snapshot';

const Metadata = z.looseObject({ [COUNTERS]: z.record(z.string(), z.unknown()).optional() });

/** A checkpoint of a branch, with the data of its rebuilt channels. */
interface Ancestor {
  readonly checkpoint_id: string;
  /** Channels whose value is stored with the checkpoint. */
  readonly stored: ReadonlySet<string>;
  /** Channels that the tasks of the checkpoint wrote to. */
  readonly written: ReadonlySet<string>;
}

/**
 * The checkpoints of a thread that the given ones require, by namespace: their ancestors, back to one from
 * which all values of the checkpoints in between can be rebuilt too. Namespaces that require none are left
 * out.
 * @param newest a checkpoint of each namespace.
 */
export async function findNeededAncestors(
  db: StateDatabase,
  threadId: string,
  newest: readonly { readonly checkpoint_ns: string; readonly checkpoint_id: string }[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const channelsOf = await findRebuiltChannels(db, threadId);
  const needed = new Map<string, readonly string[]>();
  for (const { checkpoint_ns, checkpoint_id } of newest) {
    const channels = channelsOf.get(checkpoint_ns);
    if (channels === undefined) continue;
    const branch = await readBranch(db, {
      threadId,
      namespace: checkpoint_ns,
      channels,
      from: checkpoint_id,
    });
    const ids = branch.slice(1, oldestNeeded(branch, channels) + 1).map((ancestor) => ancestor.checkpoint_id);
    if (ids.length > 0) needed.set(checkpoint_ns, ids);
  }
  return needed;
}

/**
 * The rebuilt channels of each namespace. All checkpoints are searched, because the checkpoint of a state
 * update may not name them.
 */
async function findRebuiltChannels(db: StateDatabase, threadId: string): Promise<Map<string, Set<string>>> {
  const rows = await db
    .selectFrom('checkpoints')
    .select(['checkpoint_ns', 'metadata'])
    .where('thread_id', '=', threadId)
    .where(hasMember('metadata', COUNTERS))
    .execute();
  const found = new Map<string, Set<string>>();
  for (const { checkpoint_ns, metadata } of rows) {
    const channels = found.get(checkpoint_ns) ?? new Set();
    found.set(checkpoint_ns, channels);
    const { data } = Metadata.safeParse(readStoredObject(metadata));
    for (const channel of Object.keys(data?.[COUNTERS] ?? {})) channels.add(channel);
  }
  return found;
}

/** Reads a checkpoint and its stored ancestors, from the checkpoint back. */
async function readBranch(
  db: StateDatabase,
  place: { threadId: string; namespace: string; channels: ReadonlySet<string>; from: string },
): Promise<Ancestor[]> {
  const { threadId, namespace, channels, from } = place;
  const checkpoints = await db
    .selectFrom('checkpoints')
    .select(['checkpoint_id', 'parent_checkpoint_id', 'channel_versions'])
    .where('thread_id', '=', threadId)
    .where('checkpoint_ns', '=', namespace)
    .execute();
  const blobs = await db
    .selectFrom('checkpoint_blobs')
    .select(['channel', 'version'])
    .where('thread_id', '=', threadId)
    .where('checkpoint_ns', '=', namespace)
    .where('channel', 'in', [...channels])
    .execute();
  const writes = await db
    .selectFrom('checkpoint_writes')
    .select(['checkpoint_id', 'channel'])
    .distinct()
    .where('thread_id', '=', threadId)
    .where('checkpoint_ns', '=', namespace)
    .where('channel', 'in', [...channels])
    .execute();
  const values = new Set(blobs.map(({ channel, version }) => keyOf(channel, version)));
  const written = Map.groupBy(writes, ({ checkpoint_id }) => checkpoint_id);
  const rows = new Map(checkpoints.map((row) => [row.checkpoint_id, row]));
  const branch: Ancestor[] = [];
  for (let row = rows.get(from); row !== undefined; row = rows.get(row.parent_checkpoint_id ?? '')) {
    const versions = Object.entries(parseStored(row.channel_versions));
    branch.push({
      checkpoint_id: row.checkpoint_id,
      stored: new Set(versions.flatMap(([name, at]) => (values.has(keyOf(name, at)) ? [name] : []))),
      written: new Set(written.get(row.checkpoint_id)?.map(({ channel }) => channel)),
    });
    // An imported archive may claim that a checkpoint is its own ancestor.
    rows.delete(row.checkpoint_id);
  }
  return branch;
}

/**
 * The index of the oldest ancestor that the first checkpoint of a branch needs, also through other ancestors.
 */
function oldestNeeded(branch: readonly Ancestor[], channels: ReadonlySet<string>): number {
  const starts = [...channels].map((channel) => startsOf(branch, channel));
  let oldest = 0;
  for (let at = 0; at <= oldest; at++) oldest = Math.max(oldest, ...starts.map((of) => of[at] ?? 0));
  return oldest;
}

/**
 * For each checkpoint of a branch, the index of the checkpoint from which a channel is rebuilt: the nearest
 * one that has its value, or else the one with the first write to it.
 */
function startsOf(branch: readonly Ancestor[], channel: string): number[] {
  const starts: number[] = [];
  let start: number | undefined;
  for (const [at, { stored, written }] of [...branch.entries()].reverse()) {
    if (stored.has(channel)) start = at;
    starts[at] = start ?? at;
    if (written.has(channel)) start ??= at;
  }
  return starts;
}

function keyOf(channel: string, version: string): string {
  return JSON.stringify([channel, version]);
}
