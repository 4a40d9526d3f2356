import { v7 as uuidv7 } from 'uuid';
import type { RunFields, runs } from '../../../../contract/tracing/runs.ts';
import { type Caller, limitedAs, projectsOf } from '../../../http/caller.ts';
import { conflict, forbidden, HttpError, invalid } from '../../../http/errors.ts';
import type { Handlers } from '../../../http/router.ts';
import { packParts } from '../../ingestion/packed-parts.ts';
import { NOT_WRITABLE, type Refusal } from '../../runs/refusal.ts';
import { findHider } from '../../services/hidden-members.ts';
import { requireRoom } from '../../services/ingestion-room.ts';
import type { TracingServices } from '../../services/services.ts';
import { PartGatherer } from './part-gatherer.ts';
import { malformed, type ReceivedPart, readMultipart } from './read-multipart.ts';

/** A request that the rate limits let through. */
interface Admitted {
  /** Whether the request sends a single run, which may lack its trace_id and dotted_order. */
  readonly single: boolean;
  /** The maximum size of its traces; undefined for no limit. */
  readonly maxBytes: number | undefined;
}

type Ingestion = Pick<Handlers<typeof runs>, 'create' | 'update' | 'batch' | 'multipart'>;

/**
 * Runs as SDKs send them: one by one, in batches, and as multipart bodies that are read as streams
 * (docs/interface/tracing.md#ingestion). Refused runs do not affect others in the request: 422 names each of them,
 * after the rest has been stored. 413 for requests that are too large, 429 with `Retry-After` in seconds beyond the
 * rate limits.
 */
export function ingestionHandlers(services: TracingServices): Ingestion {
  const { write, publish, limits, takeIngestion } = services;

  async function ingest(
    caller: Caller,
    gatherer: PartGatherer,
    { single, maxBytes }: Admitted,
  ): Promise<void> {
    const { workspaceId } = caller;
    try {
      const { bytes, parts } = gatherer.finish();
      requireRoom(bytes.length, maxBytes);
      const kept = (await services.objects?.upload(parts)) ?? parts;
      const projects = projectsOf(caller);
      const request = { workspaceId, single, projects, bytes, parts: packParts(kept) };
      const { refused, changes } = await write('ingest', request, [bytes.buffer]);
      publish(workspaceId, changes);
      refuse(refused, single);
    } finally {
      await gatherer.clear();
    }
  }

  /** Stores runs sent as JSON. */
  async function ingestRuns(
    caller: Caller,
    runs: readonly (readonly [name: string, run: object])[],
    admitted: Admitted,
  ): Promise<void> {
    const gatherer = await gather(caller);
    try {
      for (const [name, run] of runs) {
        // Most runs are added synchronously, without a promise to wait for.
        const adding = gatherer.addRun(name, run);
        if (adding !== undefined) await adding;
      }
    } catch (error) {
      await gatherer.clear();
      throw error;
    }
    await ingest(caller, gatherer, admitted);
  }

  async function gather(caller: Caller): Promise<PartGatherer> {
    const hide = await findHider(services, caller);
    return new PartGatherer(services.dataDir, { hide, splits: services.objects !== undefined });
  }

  /** Counts a request. @param form whether it sends one run or many. @throws HttpError 429 */
  async function admit(caller: Caller, form: 'single' | 'many'): Promise<Admitted> {
    limits[form].take(limitedAs(caller));
    return { single: form === 'single', maxBytes: await takeIngestion(caller.workspaceId) };
  }

  return {
    create: async ({ body, caller }) => {
      const admitted = await admit(caller, 'single');
      const id = body.id ?? uuidv7();
      await ingestRuns(caller, [[`post.${id}`, { ...body, id }]], admitted);
      return { message: 'Run created', id };
    },
    update: async ({ params, body, caller }) => {
      const admitted = await admit(caller, 'single');
      await ingestRuns(caller, [[`patch.${params.run_id}`, { ...body, id: params.run_id }]], admitted);
      return { message: 'Run updated' };
    },
    batch: async ({ body, caller }) => {
      const admitted = await admit(caller, 'many');
      const runs = (['post', 'patch'] as const).flatMap((operation) =>
        (body[operation] ?? []).map((run): [string, object] => [`${operation}.${idOf(run)}`, run]),
      );
      await ingestRuns(caller, runs, admitted);
      return { message: 'Runs batch ingested' };
    },
    multipart: async ({ request, caller }) => {
      const admitted = await admit(caller, 'many');
      requireRoom(Number(request.headers['content-length'] ?? 0), admitted.maxBytes);
      const gatherer = await gather(caller);
      try {
        await readMultipart(request, (part) => gatherer.add(checkType(part)));
      } catch (error) {
        await gatherer.clear();
        throw error;
      }
      await ingest(caller, gatherer, admitted);
      return { message: 'Runs ingested' };
    },
  };
}

/** Everything but attachments is JSON (docs/interface/tracing.md#ingestion). */
function checkType(part: ReceivedPart): ReceivedPart {
  const { name, contentType } = part;
  if (contentType === '') throw malformed(`part '${name}' has no Content-Type`);
  if (name.startsWith('attachment.') || contentType.toLowerCase() === 'application/json') return part;
  throw malformed(`part '${name}' must be application/json, not ${contentType}`);
}

/** The ID of a run; a run without one gets a name by which its refusal can be identified. */
function idOf(run: Partial<RunFields> | Record<string, unknown>): string {
  return typeof run.id === 'string' ? run.id : `missing-id-${uuidv7()}`;
}

/** @throws HttpError 403, 409 or 422 naming the refused runs; the rest is stored. */
function refuse(refused: readonly Refusal[], single: boolean): void {
  const [first] = refused;
  if (first === undefined) return;
  if (single && first.type === NOT_WRITABLE) throw forbidden(sentence(first.message));
  if (single && first.duplicate) throw conflict(first.message);
  if (single) throw invalid(['body'], first.message, first.type);
  throw new HttpError(
    422,
    refused.map(({ part, message, type }) => ({ loc: ['body', part], msg: message, type })),
  );
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
