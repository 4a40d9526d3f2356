import { join } from 'node:path';
import { decode } from '@msgpack/msgpack';
import { z } from 'zod';
import type { ThreadLine } from '../../client/thread-archive.ts';
import type { ArchivedThread } from '../../contract/agent-server/archive.ts';
import { ThreadStatus } from '../../contract/agent-server/threads.ts';
import { JsonObject } from '../../contract/fields.ts';
import { Failure } from '../terminal/failure.ts';
import { type DevFolderOptions, ONLY_THREADS } from './dev-folder-options.ts';
import { PickledObject, readPickle } from './pickle.ts';
import { readDevFile } from './read-dev-file.ts';

const Bytes = z.instanceof(Buffer);
/** A value with its serializer's type tag. */
const Typed = z.tuple([z.string(), Bytes]);

/** By namespace and checkpoint: the checkpoint, its metadata, and the ID of its parent. */
const Namespaces = z.map(z.string(), z.map(z.string(), z.tuple([Typed, Typed, z.string().nullable()])));
/** The checkpoints by thread. */
const Storage = z.map(z.string(), Namespaces);
/** By task and index: the task, the channel, the value, the task's path. */
const Tasks = z.map(z.tuple([z.string(), z.int()]), z.tuple([z.string(), z.string(), Typed], z.string()));
/** The writes of tasks by thread, namespace and checkpoint. */
const Writes = z.map(z.tuple([z.string(), z.string(), z.string()]), Tasks);
/** Thread, namespace, channel and version. */
const BlobKey = z.tuple([z.string(), z.string(), z.string(), z.union([z.string(), z.number()])]);
/** The values of channels. */
const Blobs = z.map(BlobKey, Typed);

const Envelope = z.looseObject({
  ts: z.string(),
  channel_versions: z.record(z.string(), z.union([z.string(), z.number()])),
});

/** The types of values that could only be read by unpickling, which is never done. */
const UNREADABLE = /^(?:pickle|cloudpickle)\b/;
/** The type of a channel without a value. */
const EMPTY = 'empty';

/** Reads the threads of PyPI's `langgraph dev`. @throws Failure for files in another format */
export async function* readPythonFolder(
  folder: string,
  { onUnsupported }: DevFolderOptions,
): AsyncGenerator<ThreadLine, void, undefined> {
  const storage = await readPickleAs(join(folder, '.langgraph_checkpoint.1.pckl'), Storage);
  const writes = await readPickleAs(join(folder, '.langgraph_checkpoint.2.pckl'), Writes);
  const blobs = await readPickleAs(join(folder, '.langgraph_checkpoint.3.pckl'), Blobs);
  const threads = await readThreads(folder);
  onUnsupported(ONLY_THREADS);
  const blobsOf = Map.groupBy(blobs, ([[threadId]]) => threadId);
  const writesOf = Map.groupBy(writes, ([[threadId]]) => threadId);
  for (const [threadId, namespaces] of storage) {
    const values = blobsOf.get(threadId) ?? [];
    const written = writesOf.get(threadId) ?? [];
    const unreadable = typesOf(values, written).find((type) => UNREADABLE.test(type));
    if (unreadable !== undefined) {
      onUnsupported(
        `Skipped thread ${threadId}: it contains pickled values, which are never loaded (${unreadable}).`,
      );
      continue;
    }
    const lines = [...checkpointLines(namespaces, values)];
    yield { kind: 'thread', thread: archivedThread(threadId, threads.get(threadId), lines) };
    yield* lines;
    for (const [[, checkpoint_ns, channel, version], value] of values) {
      if (value[0] === EMPTY) continue;
      yield { kind: 'value', checkpoint_ns, channel, version: String(version), value: toArchived(value) };
    }
    for (const [[, checkpoint_ns, checkpoint_id], tasks] of written) {
      for (const [[, index], [task_id, channel, value, task_path = '']] of tasks) {
        yield {
          kind: 'write',
          checkpoint_ns,
          checkpoint_id,
          task_id,
          index,
          task_path,
          channel,
          value: toArchived(value),
        };
      }
    }
  }
}

/** The types of all values of a thread: those of channels, and those written by tasks. */
function typesOf(
  values: readonly (readonly [unknown, z.output<typeof Typed>])[],
  written: readonly (readonly [unknown, z.output<typeof Tasks>])[],
): string[] {
  return [
    ...values.map(([, [type]]) => type),
    ...written.flatMap(([, tasks]) => [...tasks.values()].map(([, , [type]]) => type)),
  ];
}

function toArchived([type, bytes]: z.output<typeof Typed>) {
  return { type, encoding: 'base64' as const, data: bytes.toString('base64') };
}

type CheckpointLine = Extract<ThreadLine, { kind: 'checkpoint' }>;

function* checkpointLines(
  namespaces: z.output<typeof Namespaces>,
  values: readonly [z.output<typeof BlobKey>, z.output<typeof Typed>][],
): Generator<CheckpointLine> {
  const stored = new Set(
    values
      .filter(([, [type]]) => type !== EMPTY)
      .map(([[, namespace, channel, version]]) => JSON.stringify([namespace, channel, String(version)])),
  );
  for (const [checkpoint_ns, checkpoints] of namespaces) {
    for (const [checkpoint_id, [checkpoint, storedMetadata, parent]] of checkpoints) {
      const { ts, channel_versions } = Envelope.parse(decodeTyped(checkpoint));
      const metadata = JsonObject.parse(plain(decodeTyped(storedMetadata)));
      yield {
        kind: 'checkpoint',
        checkpoint_ns,
        checkpoint_id,
        parent_checkpoint_id: parent,
        run_id: typeof metadata.run_id === 'string' ? metadata.run_id : null,
        checkpoint: toArchived(checkpoint),
        channel_versions: Object.fromEntries(
          Object.entries(channel_versions)
            .map(([channel, version]) => [channel, String(version)] as const)
            .filter(([channel, version]) => stored.has(JSON.stringify([checkpoint_ns, channel, version]))),
        ),
        metadata,
        created_at: ts,
      };
    }
  }
}

interface KnownThread {
  readonly metadata: JsonObject;
  readonly status: ThreadStatus;
}

function archivedThread(
  thread_id: string,
  known: KnownThread | undefined,
  lines: readonly CheckpointLine[],
): ArchivedThread {
  const root = lines.filter(({ checkpoint_ns }) => checkpoint_ns === '');
  const graph_id = known?.metadata.graph_id ?? root.at(-1)?.metadata.graph_id;
  const now = new Date().toISOString();
  return {
    thread_id,
    status: known?.status ?? 'idle',
    metadata: { ...known?.metadata, ...(graph_id === undefined ? {} : { graph_id }) },
    created_at: root[0]?.created_at ?? now,
    updated_at: root.at(-1)?.created_at ?? now,
  };
}

/** Reads the metadata and status of threads, by ID. @throws Failure for a file in another format */
async function readThreads(folder: string): Promise<Map<string, KnownThread>> {
  const threads = new Map<string, KnownThread>();
  const operations = await readPickleAs(join(folder, '.langgraph_ops.pckl'), z.map(z.string(), z.unknown()));
  const listed = operations.get('threads');
  for (const thread of Array.isArray(listed) ? listed : []) {
    if (!(thread instanceof Map)) continue;
    const id = uuidOf(thread.get('thread_id'));
    if (id === undefined) continue;
    threads.set(id, {
      metadata: JsonObject.catch({}).parse(plain(thread.get('metadata'))),
      status: ThreadStatus.catch('idle').parse(thread.get('status')),
    });
  }
  return threads;
}

function uuidOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (!(value instanceof PickledObject) || value.name !== 'uuid.UUID' || !(value.state instanceof Map)) {
    return undefined;
  }
  const number: unknown = value.state.get('int');
  if (typeof number !== 'bigint') return undefined;
  const hex = BigInt.asUintN(128, number).toString(16).padStart(32, '0');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Decodes a stored value. @throws Failure for a type other than those of LangGraph's serializers */
function decodeTyped([type, bytes]: readonly [string, Buffer]): unknown {
  if (type === 'msgpack') return decode(bytes);
  if (type === 'json') return JSON.parse(bytes.toString('utf8'));
  throw new Failure(
    `A checkpoint is stored as '${type}'. Only msgpack and json, the formats of LangGraph's own serializers, can be imported.`,
  );
}

/**
 * Converts a decoded value to plain JSON. Values that JSON cannot express become null; keys that are not text
 * are dropped.
 */
function plain(value: unknown): unknown {
  if (value instanceof Map) {
    return Object.fromEntries(
      [...value].filter(([key]) => typeof key === 'string').map(([key, item]) => [key, plain(item)]),
    );
  }
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof PickledObject) return uuidOf(value) ?? null;
  if (typeof value === 'bigint') return Number(value);
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Uint8Array || Object.getPrototypeOf(value) !== Object.prototype) return null;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

function readPickleAs<Schema extends z.ZodType>(file: string, schema: Schema): Promise<z.output<Schema>> {
  const hint = ' A folder of an older version can be read after a newer langgraph dev has served it once.';
  return readDevFile(file, readPickle, schema, hint);
}
