import type { RunFields } from '../../../contract/tracing/runs.ts';
import { isObject } from '../../../process/objects.ts';
import { HttpError } from '../../http/errors.ts';
import type { TraceChange } from '../context/changes.ts';
import type { KnownSession } from '../context/ingest-caches.ts';
import type { WriterContext } from '../context/writer-context.ts';
import { resolveEarlyFeedback, storeFeedback } from '../feedback/store-feedback.ts';
import { queueForRules } from '../rules/rule-queue.ts';
import { attemptIn, lastAttemptOf } from '../runs/attempts.ts';
import { parseJson } from '../runs/json-text.ts';
import { type LabeledRun, LabelLinks } from '../runs/label-links.ts';
import { labelsOf } from '../runs/labels.ts';
import { type Part, type Submission, type SubmittedAttachment, sortParts } from '../runs/parts.ts';
import { purgedRefusal } from '../runs/purged-traces.ts';
import { type Refusal, RunRefused } from '../runs/refusal.ts';
import { type CheckedRun, checkRun, parseMain } from '../runs/run-fields.ts';
import { resolveSession } from '../sessions/find-session.ts';
import { ensureWorkspaceKey } from '../sessions/workspace-keys.ts';
import { WritableProjects } from '../sessions/writable-projects.ts';
import { DottedOrders } from './dotted-orders.ts';
import { DraftPayloads } from './draft-payloads.ts';
import { findEarly, keepEarlyPatch, takeEarlyPatches } from './early-patches.ts';
import { type PackedParts, unpackParts } from './packed-parts.ts';
import { parseFeedback } from './parse-feedback.ts';
import { type Payload, readPayloads } from './payloads.ts';
import { placeSingle } from './place-single.ts';
import { readAhead } from './read-ahead.ts';
import { type Attempts, draftOf, newDraft, patch, type RunDraft, repost, writeDraft } from './run-draft.ts';
import { storeAttachment } from './store-attachment.ts';
import { StoredRuns } from './stored-runs.ts';
import { type OpenTrace, TraceWriter } from './trace-writer.ts';

/** The contents of one request, with its bytes in one buffer. */
export interface IngestRequest {
  readonly workspaceId: string;
  /** Whether the request sends a single run, which may lack its trace_id and dotted_order. */
  readonly single: boolean;
  /** The names of the projects to which the sender may write; all when undefined. */
  readonly projects?: readonly string[] | undefined;
  readonly bytes: Uint8Array;
  readonly parts: readonly Part[];
  /** Whether the usage of a run counts, by the run's ID; the type of a run decides if it is not listed. */
  readonly counted?: ReadonlyMap<string, boolean> | undefined;
}

/** A request in the form in which it is sent to another thread, including its buffer. */
interface SentIngestRequest extends Omit<IngestRequest, 'bytes' | 'parts' | 'counted'> {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly parts: PackedParts;
}

/** The runs of a request that were not stored, and the changes for the change feed. */
export interface IngestResult {
  readonly refused: readonly Refusal[];
  readonly changes: readonly TraceChange[];
}

/**
 * Stores the contents of one request, inside the caller's transaction. An invalid run is left out and reported, without
 * affecting others.
 */
export function ingestRequest(context: WriterContext, request: IngestRequest): IngestResult {
  return new Ingestion(context, request).run();
}

/** Ingests a request that another thread has packed, and then releases its buffer. */
export function ingestSent(context: WriterContext, request: SentIngestRequest): IngestResult {
  try {
    return ingestRequest(context, { ...request, parts: unpackParts(request.parts) });
  } finally {
    // This releases the memory immediately, without waiting for garbage collection.
    request.bytes.buffer.transfer(0);
  }
}

/** The ingestion of one request. */
class Ingestion {
  readonly #context: WriterContext;
  readonly #request: IngestRequest;
  readonly #workspace: number;
  readonly #traces: TraceWriter;
  /** The runs that this request creates or changes, by ID. */
  readonly #drafts = new Map<string, RunDraft>();
  readonly #orders: DottedOrders;
  readonly #refused: Refusal[] = [];
  readonly #stored: StoredRuns;
  readonly #writable: WritableProjects;
  /** Main parts that have been parsed ahead. */
  #mains: ReadonlyMap<Part, RunFields> = new Map();
  readonly #changes: TraceChange[] = [];
  readonly #payloads: DraftPayloads;

  constructor(context: WriterContext, request: IngestRequest) {
    this.#context = context;
    this.#request = request;
    this.#workspace = ensureWorkspaceKey(context.db, context.caches, request.workspaceId);
    this.#stored = new StoredRuns(context.db, this.#workspace);
    this.#writable = new WritableProjects(context.db, this.#workspace, request.projects);
    this.#orders = new DottedOrders(this.#stored);
    this.#traces = new TraceWriter(context, this.#workspace, this.#stored);
    this.#payloads = new DraftPayloads(context, {
      workspaceId: request.workspaceId,
      counted: request.counted,
      stored: this.#stored,
      traces: this.#traces,
      traceOf: (draft) => this.#traceOf(draft),
    });
  }

  readonly #bytesOf = (part: Part): Buffer => {
    if (part.staged !== undefined) return this.#context.blobs.readStaged(part.staged);
    const { buffer, byteOffset } = this.#request.bytes;
    return Buffer.from(buffer, byteOffset + part.offset, part.length);
  };

  run(): IngestResult {
    const sorted = sortParts(this.#request.parts);
    for (const { part, error } of sorted.refused) this.#refuse(part.name, error);
    this.#mains = readAhead(sorted, this.#bytesOf, this.#stored);
    for (const submission of sorted.submissions) {
      this.#try(`${submission.operation}.${submission.runId}`, () => this.#submit(submission));
    }
    this.#writeRuns();
    for (const attachment of sorted.attachments) {
      this.#try(attachment.part.name, () => this.#attach(attachment));
    }
    for (const part of sorted.feedback) this.#try(part.name, () => this.#storeFeedback(part));
    this.#traces.flush();
    queueForRules(this.#context, this.#workspace, this.#traces.listTouched());
    this.#context.blocks.flush();
    const objects = this.#request.parts.flatMap(({ object }) => object ?? []);
    if (objects.length > 0) this.#context.blobs.letGo(objects);
    for (const trace of this.#traces.listTouched()) {
      // Attachments alone are not reported as a change of their trace.
      if (!trace.changed && this.#drafts.size === 0) continue;
      this.#changes.push({
        resource: 'trace',
        action: trace.isNew ? 'created' : 'updated',
        id: trace.id,
        session_id: trace.session.id,
      });
    }
    return { refused: this.#refused, changes: this.#changes };
  }

  /** Does the work for one part, and reports a refusal. */
  #try(part: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof RunRefused)) throw error;
      this.#refuse(part, error);
    }
  }

  #refuse(part: string, error: RunRefused): void {
    this.#refused.push({ part, message: error.message, type: error.type, duplicate: error.duplicate });
  }

  /** Applies a post or an update to a run. */
  #submit(submission: Submission): void {
    const { operation, runId } = submission;
    const existing = this.#find(runId);
    if (existing !== undefined) this.#writable.require(existing.session);
    const { main } = submission;
    if (main === undefined) {
      this.#addPayloads(submission, existing);
      return;
    }
    let fields = this.#mains.get(main) ?? parseMain(this.#bytesOf(main), runId, main.name);
    if (operation === 'patch' && existing === undefined) {
      this.#keepPatch(submission, fields);
      return;
    }
    if (this.#request.single) fields = placeSingle(fields, existing, (id) => this.#find(id));
    const run = checkRun(fields, operation);
    const payloads = readPayloads(submission, run, this.#bytesOf);
    const draft = existing === undefined ? this.#begin(run) : this.#merge(existing, run, operation, payloads);
    this.#payloads.add(draft, payloads, { replaces: operation === 'patch', stated: run.status });
  }

  /** Adds payloads that were sent without the main part of their run. */
  #addPayloads(submission: Submission, existing: RunDraft | undefined): void {
    const { operation, runId } = submission;
    if (existing === undefined) {
      throw new RunRefused(
        `part '${operation}.${runId}' is missing: the other parts of run_id:${runId} need it in the same ` +
          'request, or a run stored before',
        { type: 'missing' },
      );
    }
    const payloads = readPayloads(submission, undefined, this.#bytesOf);
    this.#payloads.add(existing, payloads, { replaces: operation === 'patch' });
    this.#drafts.set(runId, existing);
  }

  /** Creates a run. (The updates that arrived before it are applied once it is stored.) */
  #begin(run: CheckedRun): RunDraft {
    if (this.#stored.isPurged(run.traceId)) throw purgedRefusal(run.traceId, run.id);
    this.#orders.check(run);
    const { db, caches } = this.#context;
    const session = resolveSession(db, caches, this.#workspace, this.#writable.projectOf(run));
    this.#writable.require(session.key);
    const trace = this.#traces.open(run.traceId, session);
    // A child in another project's trace stays in its own project, but a root moves the whole trace to its
    // project.
    if (run.parentId === undefined) this.#writable.require(trace.session.key);
    this.#traces.count(trace, run.id);
    if (run.parentId === undefined) this.#traces.moveTo(trace, session);
    if (trace.isNew && trace.runCount === 1) this.#noteProject(session);
    const draft = newDraft(run, {
      run: this.#context.keys.next('runs'),
      trace: trace.key,
      session: session.key,
    });
    this.#drafts.set(run.id, draft);
    this.#orders.note(run);
    return draft;
  }

  /** Applies a post or an update to an existing run. */
  #merge(
    draft: RunDraft,
    run: CheckedRun,
    operation: 'post' | 'patch',
    payloads: readonly Payload[],
  ): RunDraft {
    if (run.sessionName !== undefined && run.sessionId !== undefined) {
      resolveSession(this.#context.db, this.#context.caches, this.#workspace, {
        id: run.sessionId,
        name: run.sessionName,
      });
    }
    if (operation === 'post') repost(draft, run, () => this.#attemptsOf(draft, payloads));
    else patch(draft, run);
    this.#orders.note(draft);
    this.#drafts.set(run.id, draft);
    this.#traceOf(draft).changed = true;
    return draft;
  }

  #attemptsOf(draft: RunDraft, payloads: readonly Payload[]): Attempts {
    const extra = payloads.find(({ kind }) => kind === 'extra')?.value;
    return {
      stored: attemptIn(this.#payloads.metadataOf(draft)) ?? lastAttemptOf(this.#context.db, draft.key),
      sent: isObject(extra) ? attemptIn(extra.metadata) : undefined,
    };
  }

  #find(runId: string): RunDraft | undefined {
    const draft = this.#drafts.get(runId);
    if (draft !== undefined) return draft;
    const stored = this.#stored.find(runId);
    return stored && draftOf(stored);
  }

  /** Returns the trace of a run, if it exists or was begun by this request. */
  #traceOf(draft: RunDraft): OpenTrace {
    const open = this.#traces.find(draft.traceId);
    if (open !== undefined) return open;
    return this.#traces.open(draft.traceId, this.#stored.sessionOf(draft.id));
  }

  #noteProject(session: KnownSession): void {
    this.#changes.push({ resource: 'project', action: 'updated', id: session.id });
  }

  /** Keeps an update whose run does not exist yet. */
  #keepPatch(submission: Submission, fields: RunFields): void {
    // Checks that need only the update itself are made now, while the sender can still be told.
    if (!this.#request.single) checkRun(fields, 'patch');
    const traceId = fields.trace_id ?? submission.runId;
    if (this.#stored.isPurged(traceId)) throw purgedRefusal(traceId, submission.runId);
    const parts = [submission.main, ...submission.payloads.values()].flatMap((part) => part ?? []);
    for (const part of submission.payloads.values()) parseJson(this.#bytesOf(part), `part '${part.name}'`);
    keepEarlyPatch(this.#context.db, this.#workspace, {
      runId: submission.runId,
      traceId: fields.trace_id ?? undefined,
      projects: this.#request.projects,
      parts: parts.map((part) => ({ name: part.name, bytes: this.#bytesOf(part) })),
    });
  }

  /** Stores the runs and their labels, and applies updates and feedback that arrived before them. */
  #writeRuns(): void {
    const { db, caches, keys } = this.#context;
    const links = new LabelLinks(db, caches, keys);
    const fresh = [...this.#drafts.values()].filter((draft) => !draft.stored);
    const drafts = [...this.#drafts.values()];
    const labels = links.link(drafts.map((draft) => this.#labeled(draft)));
    for (const [at, draft] of drafts.entries()) {
      draft.labels = labels[at] ?? [];
      writeDraft(db, this.#workspace, draft);
    }
    links.flush();
    if (!this.#stored.hasEarly || fresh.length === 0) return;
    const early = findEarly(
      db,
      this.#workspace,
      fresh.map(({ id }) => id),
    );
    for (const draft of fresh) if (early.has(draft.id)) this.#joinEarly(draft);
  }

  /** The labels of a run. An update replaces those of its tags and metadata, if it has any. */
  #labeled(draft: RunDraft): LabeledRun {
    const { key, session, tags, isRetagged, labels } = draft;
    const hasMetadata = this.#payloads.hasMetadataOf(draft);
    return {
      session,
      run: key,
      labels: labelsOf(this.#payloads.metadataOf(draft), tags),
      known: labels,
      replaced: [...(isRetagged ? (['tag'] as const) : []), ...(hasMetadata ? (['metadata'] as const) : [])],
    };
  }

  #joinEarly(draft: RunDraft): void {
    resolveEarlyFeedback(this.#context, this.#workspace, draft);
    for (const early of takeEarlyPatches(this.#context.db, this.#workspace, draft.id)) {
      // An update that arrived alone may lack its trace_id and dotted_order.
      const request: IngestRequest = { ...this.#request, ...early, single: true };
      this.#try(`patch.${draft.id}`, () => {
        this.#refused.push(...ingestRequest(this.#context, request).refused);
      });
    }
  }

  #attach({ runId, name, part }: SubmittedAttachment): void {
    const draft = this.#find(runId);
    if (draft === undefined || !draft.stored) {
      throw new RunRefused(`attachment '${name}' belongs to run_id:${runId}, which does not exist`, {
        type: 'missing',
      });
    }
    this.#writable.require(draft.session);
    const { ttlDays } = this.#traceOf(draft);
    storeAttachment(this.#context, draft, { name, part, ttlDays, bytesOf: this.#bytesOf });
  }

  #storeFeedback(part: Part): void {
    const feedback = parseFeedback(part, this.#bytesOf(part));
    try {
      const id = storeFeedback(this.#context, this.#workspace, feedback, this.#request.projects);
      this.#changes.push({ resource: 'feedback', action: 'created', id });
    } catch (error) {
      // An invalid part does not affect the others.
      throw error instanceof HttpError ? new RunRefused(`part '${part.name}': ${error.message}`) : error;
    }
  }
}
