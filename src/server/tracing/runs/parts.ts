import { IndexedName } from '../../../contract/fields.ts';
import { RunPayload } from '../../../contract/tracing/runs.ts';
import { RunRefused } from './refusal.ts';

/** One part of an ingestion request: its bytes are in the request's buffer, or spooled to a file. */
export interface Part {
  readonly name: string;
  readonly contentType: string;
  readonly offset: number;
  readonly length: number;
  /** The staged file of a large part. */
  readonly staged?: string;
  /** The name of the object in a team's store with the same contents. */
  readonly object?: string;
}

export type Operation = 'post' | 'patch';

/** One operation of a request on one run. */
export interface Submission {
  readonly operation: Operation;
  readonly runId: string;
  /** The main part; undefined if only optional parts were sent, and then the run must exist. */
  main: Part | undefined;
  readonly payloads: Map<RunPayload, Part>;
}

export interface SubmittedAttachment {
  readonly runId: string;
  readonly name: string;
  readonly part: Part;
}

/** The parts of a request, by what they contain. */
export interface SortedParts {
  readonly submissions: Submission[];
  readonly attachments: SubmittedAttachment[];
  readonly feedback: Part[];
  /** Parts that are refused because of their names, or because they were sent twice. */
  readonly refused: { part: Part; error: RunRefused }[];
}

/** The kinds of payloads. This is looked up for every part, so it avoids the cost of a schema. */
const PAYLOADS = new Map<string, RunPayload>(RunPayload.options.map((kind) => [kind, kind]));

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

/** A UUID in canonical form: lower case with dashes; `undefined` when it is invalid. */
export function normalId(text: string): string | undefined {
  if (!UUID.test(text)) return undefined;
  const lower = text.toLowerCase();
  if (lower.length === 36) return lower;
  const hex = lower.replaceAll('-', '');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/**
 * Sorts the parts of a multipart request by their names: `post|patch.<run_id>[.<payload>]`,
 * `attachment.<run_id>.<name>`, `feedback.<id>`.
 */
export function sortParts(parts: readonly Part[]): SortedParts {
  const submissions: Submission[] = [];
  const latest = new Map<string, Submission>();
  const sorted: SortedParts = { submissions: [], attachments: [], feedback: [], refused: [] };
  const begin = (key: string, submission: Submission) => {
    submissions.push(submission);
    latest.set(key, submission);
    return submission;
  };
  for (const part of parts) {
    try {
      sortPart(part, { latest, begin }, sorted);
    } catch (error) {
      if (!(error instanceof RunRefused)) throw error;
      sorted.refused.push({ part, error });
    }
  }
  // Posts come first, so that the order in the request does not matter. Updates of the same run keep their order.
  sorted.submissions.push(
    ...submissions.filter((submission) => submission.operation === 'post'),
    ...submissions.filter((submission) => submission.operation === 'patch'),
  );
  return sorted;
}

/** The submissions found so far: the latest one for each run and operation, to which the next part belongs. */
interface Begun {
  readonly latest: ReadonlyMap<string, Submission>;
  readonly begin: (key: string, submission: Submission) => Submission;
}

/** Adds a part to `sorted`, or to a submission. @throws RunRefused */
function sortPart(part: Part, begun: Begun, sorted: SortedParts): void {
  const { name } = part;
  const idEnd = name.indexOf('.', name.indexOf('.') + 1);
  const beginning = idEnd < 0 ? name : name.slice(0, idEnd);
  const rest = idEnd < 0 ? undefined : name.slice(idEnd + 1);
  // The parts of a run usually spell its ID in the same way.
  const known = begun.latest.get(beginning);
  if (known !== undefined) {
    addPart(known, part, rest, begun);
    return;
  }
  const [operation, rawId = ''] = beginning.split('.');
  if (operation === 'feedback') {
    sorted.feedback.push(part);
    return;
  }
  if (operation !== 'post' && operation !== 'patch' && operation !== 'attachment') {
    throw new RunRefused(
      `part '${name}' must be post.<run_id>, patch.<run_id>, attachment.<run_id>.<name> or feedback.<id>`,
    );
  }
  const runId = normalId(rawId);
  if (runId === undefined) throw new RunRefused(`part '${name}' has no run ID: '${rawId}' is not a UUID`);
  if (operation === 'attachment') {
    if (!rest) throw new RunRefused(`part '${name}' has no attachment name`);
    if (!IndexedName.safeParse(rest).success)
      throw new RunRefused(`attachment '${rest.slice(0, 40)}…' of run_id:${runId} has too long a name`, {
        type: 'too_big',
      });
    sorted.attachments.push({ runId, name: rest, part });
    return;
  }
  const key = `${operation}.${runId}`;
  const submission = begun.latest.get(key) ?? begun.begin(key, emptySubmission(operation, runId));
  addPart(submission, part, rest, begun);
}

function emptySubmission(operation: Operation, runId: string): Submission {
  return { operation, runId, main: undefined, payloads: new Map() };
}

/** @param payload the rest of the part's name, after the ID of the run. */
function addPart(latest: Submission, part: Part, payload: string | undefined, begun: Begun): void {
  const kind = payload === undefined ? undefined : PAYLOADS.get(payload);
  if (payload !== undefined && kind === undefined) {
    throw new RunRefused(`part '${part.name}' must end in one of ${RunPayload.options.join(', ')}`);
  }
  const { operation, runId } = latest;
  const isThere = kind === undefined ? latest.main !== undefined : latest.payloads.has(kind);
  if (isThere && operation === 'post')
    throw new RunRefused(`part '${part.name}' was sent twice in one request`);
  // If the part is already there, this is another update of the run, which is applied after the previous one.
  const submission = isThere
    ? begun.begin(`${operation}.${runId}`, emptySubmission(operation, runId))
    : latest;
  if (kind === undefined) submission.main = part;
  else submission.payloads.set(kind, part);
}
