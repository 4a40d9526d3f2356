import { join } from 'node:path';
import { z } from 'zod';
import type { ThreadLine } from '../../client/thread-archive.ts';
import type { ArchivedRecord, ArchivedThread } from '../../contract/agent-server/archive.ts';
import { ThreadStatus } from '../../contract/agent-server/threads.ts';
import { JsonObject } from '../../contract/fields.ts';
import { isObject } from '../../process/objects.ts';
import { type DevFolderOptions, ONLY_THREADS } from './dev-folder-options.ts';
import { readDevFile } from './read-dev-file.ts';
import { UniqueVersions } from './unique-versions.ts';

/** The file is written by superjson: the document is under `json`, and bytes in it are base64. */
const Checkpoints = z.looseObject({
  json: z.looseObject({
    /** By thread, namespace and checkpoint: the checkpoint, its metadata, and the ID of its parent. */
    storage: z.record(
      z.string(),
      z.record(z.string(), z.record(z.string(), z.tuple([z.string(), z.string()], z.string().nullish()))),
    ),
    /**
     * By `[thread, namespace, checkpoint]` and by `task,index`: the task, the channel, the value, the task's
     * path.
     */
    writes: z.record(
      z.string(),
      z.record(z.string(), z.tuple([z.string(), z.string(), z.string()], z.string())),
    ),
  }),
});

const Operations = z.looseObject({
  json: z.looseObject({
    threads: z.record(
      z.string(),
      z.looseObject({
        thread_id: z.string(),
        status: ThreadStatus.catch('idle'),
        metadata: JsonObject.nullish(),
        created_at: z.string(),
        updated_at: z.string(),
      }),
    ),
  }),
});

const Checkpoint = z.looseObject({
  id: z.string(),
  ts: z.string(),
  channel_values: JsonObject.default({}),
  channel_versions: z.record(z.string(), z.union([z.number(), z.string()])).default({}),
  versions_seen: z.record(z.string(), z.record(z.string(), z.union([z.number(), z.string()]))).default({}),
});

const WriteKey = z.tuple([z.string(), z.string(), z.string()]);

/** Reads the threads of npm's `langgraph dev`. @throws Failure for files in another format */
export async function* readJavaScriptFolder(
  folder: string,
  { onUnsupported }: DevFolderOptions,
): AsyncGenerator<ThreadLine, void, undefined> {
  const { storage, writes } = (
    await readDevFile(join(folder, '.langgraphjs_api.checkpointer.json'), parseJson, Checkpoints)
  ).json;
  const { threads } = (await readDevFile(join(folder, '.langgraphjs_ops.json'), parseJson, Operations)).json;
  onUnsupported(ONLY_THREADS);
  const writesOf = Map.groupBy(
    Object.entries(writes).map(([key, tasks]) => {
      const [threadId, namespace, checkpointId] = WriteKey.parse(JSON.parse(key));
      return { threadId, namespace, checkpointId, tasks };
    }),
    ({ threadId }) => threadId,
  );
  for (const [threadId, thread] of Object.entries(threads)) {
    const records = Object.entries(storage[threadId] ?? {}).flatMap(([namespace, checkpoints]) =>
      namespaceRecords(namespace, checkpoints),
    );
    yield { kind: 'thread', thread: archivedThread(thread, records) };
    yield* records;
    for (const { namespace, checkpointId, tasks } of writesOf.get(threadId) ?? []) {
      for (const [key, [task_id, channel, value, task_path = '']] of Object.entries(tasks)) {
        yield {
          kind: 'write',
          checkpoint_ns: namespace,
          checkpoint_id: checkpointId,
          task_id,
          index: Number(key.slice(key.lastIndexOf(',') + 1)),
          task_path,
          channel,
          value: toSerialized(Buffer.from(value, 'base64')),
        };
      }
    }
  }
}

function archivedThread(
  {
    thread_id,
    status,
    metadata,
    created_at,
    updated_at,
  }: z.output<typeof Operations>['json']['threads'][string],
  records: readonly ArchivedRecord[],
): ArchivedThread {
  const newest = records.findLast((record) => record.kind === 'checkpoint' && record.checkpoint_ns === '');
  const graph_id =
    metadata?.graph_id ?? (newest?.kind === 'checkpoint' ? newest.metadata.graph_id : undefined);
  return {
    thread_id,
    status,
    metadata: { ...metadata, ...(graph_id === undefined ? {} : { graph_id }) },
    created_at,
    updated_at,
  };
}

/** The records of a namespace: each checkpoint after its new values, and after its parent. */
function namespaceRecords(
  checkpoint_ns: string,
  checkpoints: Readonly<Record<string, readonly [string, string, ...(string | null | undefined)[]]>>,
): ArchivedRecord[] {
  const versions = new UniqueVersions();
  return Object.entries(checkpoints)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([checkpoint_id, [data, metadataData, parent]]) => {
      const checkpoint = Checkpoint.parse(parseBytes(data));
      const { channel_values: _, ...envelope } = checkpoint;
      const branch = versions.at(checkpoint_id, parent ?? undefined);
      const metadata = plainMetadata(JsonObject.parse(parseBytes(metadataData)));
      const { values, channel_versions } = valueRecords(checkpoint, { checkpoint_ns, checkpoint_id }, branch);
      const renamed = {
        ...envelope,
        channel_versions: branch.rename(envelope.channel_versions),
        versions_seen: Object.fromEntries(
          Object.entries(envelope.versions_seen).map(([node, seen]) => [node, branch.rename(seen)]),
        ),
        channel_values: {},
      };
      const run = metadata.run_id;
      return [
        ...values,
        {
          kind: 'checkpoint' as const,
          checkpoint_ns,
          checkpoint_id,
          parent_checkpoint_id: parent ?? null,
          run_id: typeof run === 'string' ? run : null,
          checkpoint: { type: 'json', encoding: 'utf8' as const, data: JSON.stringify(renamed) },
          channel_versions,
          metadata,
          created_at: envelope.ts,
        },
      ];
    });
}

/** The records of the values that are new at a checkpoint, and the versions of all values there. */
function valueRecords(
  { channel_values, channel_versions: stored }: z.output<typeof Checkpoint>,
  { checkpoint_ns, checkpoint_id }: { readonly checkpoint_ns: string; readonly checkpoint_id: string },
  branch: ReturnType<UniqueVersions['at']>,
): { readonly values: ArchivedRecord[]; readonly channel_versions: Record<string, string> } {
  const channel_versions: Record<string, string> = {};
  const values: ArchivedRecord[] = [];
  for (const [channel, value] of Object.entries(channel_values)) {
    const data = JSON.stringify(value);
    const unique = branch.version(channel, stored[channel] ?? checkpoint_id, data);
    const version = String(unique.version);
    channel_versions[channel] = version;
    if (unique.isNew) {
      const archived = { type: 'json', encoding: 'utf8' as const, data };
      values.push({ kind: 'value', checkpoint_ns, channel, version, value: archived });
    }
  }
  return { values, channel_versions };
}

/** Removes the objects that LangGraph's serializer writes for `undefined`. */
function plainMetadata(metadata: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => !isSerializedUndefined(value)));
}

function isSerializedUndefined(value: unknown): boolean {
  return isObject(value) && 'lc' in value && value.type === 'undefined';
}

/** The value of a write. `langgraph dev` stores no type: a value that is not valid JSON is bytes. */
function toSerialized(bytes: Buffer): { type: string; encoding: 'utf8' | 'base64'; data: string } {
  const text = bytes.toString('utf8');
  try {
    JSON.parse(text);
    return { type: 'json', encoding: 'utf8', data: text };
  } catch {
    return { type: 'bytes', encoding: 'base64', data: bytes.toString('base64') };
  }
}

function parseBytes(base64: string): unknown {
  return parseJson(Buffer.from(base64, 'base64'));
}

function parseJson(bytes: Buffer): unknown {
  return JSON.parse(bytes.toString('utf8'));
}
