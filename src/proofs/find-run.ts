import { z } from 'zod';
import type { Client } from '../client/client.ts';
import { isNotFound } from '../client/request-error.ts';
import { listTraces } from '../client/traces.ts';
import type { CallOptions } from '../client/transport.ts';
import type { SavedRunRef } from '../run-files/make-run-file.ts';

/** How many failed traces are searched for one whose run still exists. */
const MAX_TRACES = 100;

/** The metadata about the run of a graph that our runtimes and LangGraph's platform write into the root of its trace. */
const RootOfRun = z.object({
  extra: z.object({ metadata: z.object({ thread_id: z.string(), graph_id: z.string() }) }),
});

/**
 * Finds the run that a trace belongs to. The two have the same ID.
 * @returns undefined when the trace does not belong to a run of a graph on a thread, or does not exist
 * @throws RequestError
 */
export async function findRunOfTrace(
  { tracing }: Pick<Client, 'tracing'>,
  traceId: string,
  options: CallOptions = {},
): Promise<SavedRunRef | undefined> {
  const { runs } = await tracing.runs.query(
    { body: { trace: traceId, is_root: true, limit: 1, select: ['id', 'extra'] } },
    options,
  );
  const root = RootOfRun.safeParse(runs[0]).data;
  if (root === undefined) return undefined;
  const { thread_id: threadId, graph_id: graphId } = root.extra.metadata;
  return { threadId, runId: traceId, graphId };
}

/**
 * Finds, in a tracing project, the newest failed run of a graph that still exists on its thread. This leaves
 * out replays, because their threads are deleted.
 * @returns undefined when none of the newest `MAX_TRACES` failed traces has such a run
 * @param client the client of the deployment that ran it
 * @throws RequestError
 */
export async function findLastFailure(
  client: Client,
  sessionId: string,
  options: { readonly signal: AbortSignal },
): Promise<SavedRunRef | undefined> {
  const failed = listTraces(client, { sessionId, error: true }, { ...options, limit: MAX_TRACES });
  for await (const { id } of failed) {
    const ref = id === undefined ? undefined : await findRunOfTrace(client, id, options);
    if (ref !== undefined && (await exists(client, ref, options))) return ref;
  }
  return undefined;
}

async function exists(
  { runs }: Pick<Client, 'runs'>,
  { threadId: thread_id, runId: run_id }: SavedRunRef,
  options: CallOptions,
): Promise<boolean> {
  try {
    await runs.get({ params: { thread_id, run_id } }, options);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
