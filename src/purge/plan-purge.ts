import type { Client } from '../client/client.ts';
import { isHarbor } from '../client/is-harbor.ts';
import type { CallOptions } from '../client/transport.ts';
import type { PurgeRequest, PurgeSample } from '../contract/purging.ts';
import { type FoundTrace, findByIds, findTraces } from './find-traces.ts';
import { isSupportedElsewhere, type PurgeScope, requestsByIds, requestsOf } from './scope.ts';

/** The traces that a purge would delete, and the requests for it. */
export interface PurgePlan {
  /** Whether the platform has jobs that report progress; only Agent Harbor does. */
  readonly hasJobs: boolean;
  readonly requests: readonly PurgeRequest[];
  readonly preview: PurgePreview;
}

/** The traces that a purge would delete, counted, with the first of them as samples. */
export interface PurgePreview {
  readonly traces: number;
  /** Undefined where the platform has no dry run. */
  readonly runs?: number;
  readonly feedback?: number;
  /** Bytes of payloads and attachments. */
  readonly bytes?: number;
  readonly samples: readonly PurgeSample[];
  /**
   * The threads of the traces. A purge keeps their messages. Undefined where the platform does not report
   * them.
   */
  readonly threadIds?: readonly string[];
}

export type PurgeClient = Pick<Client, 'purging' | 'tracing'>;

const MAX_SAMPLES = 5;

/**
 * Plans a purge and previews what it would delete, without deleting anything. Only Agent Harbor has dry runs.
 * On other platforms the traces are looked up, and purged by their IDs if the platform does not support the
 * scope.
 * @throws RequestError; the signal's reason when aborted.
 */
export async function planPurge(
  client: PurgeClient,
  scope: PurgeScope,
  options: CallOptions = {},
): Promise<PurgePlan> {
  if (await isHarbor(client, options)) {
    const requests = requestsOf(scope, new Date().toISOString());
    return { hasJobs: true, requests, preview: await requestDryRun(client, requests, options) };
  }
  const found = await findTraces(client, scope, options);
  const first = found.slice(0, MAX_SAMPLES).map(({ traceId }) => traceId);
  const preview = { traces: found.length, samples: await findByIds(client, first, options) };
  const requests = isSupportedElsewhere(scope)
    ? requestsOf(scope, new Date().toISOString())
    : byProject(found);
  return { hasJobs: false, requests: found.length === 0 ? [] : requests, preview };
}

async function requestDryRun(
  { purging }: PurgeClient,
  requests: readonly PurgeRequest[],
  options: CallOptions,
): Promise<PurgePreview> {
  const total = { traces: 0, runs: 0, feedback: 0, bytes: 0 };
  const samples: PurgeSample[] = [];
  const threadIds = new Set<string>();
  for (const request of requests) {
    const answer = await purging.deleteRuns({ body: { ...request, dry_run: true } }, options);
    const counts = answer.would_delete;
    if (answer.dry_run !== true || counts === undefined)
      throw new Error('The answer to the dry run does not say what would be deleted. Nothing was purged.');
    total.traces += counts.traces;
    total.runs += counts.runs;
    total.feedback += counts.feedback;
    total.bytes += counts.bytes ?? 0;
    samples.push(...(answer.samples ?? []));
    for (const id of answer.thread_ids ?? []) threadIds.add(id);
  }
  return { ...total, samples: samples.slice(0, MAX_SAMPLES), threadIds: [...threadIds] };
}

function byProject(found: readonly FoundTrace[]): PurgeRequest[] {
  return [...Map.groupBy(found, ({ sessionId }) => sessionId)].flatMap(([sessionId, traces]) =>
    requestsByIds(
      sessionId,
      traces.map(({ traceId }) => traceId),
    ),
  );
}
