import { z } from 'zod';
import { withPlainMessages } from '../../client/plain-messages.ts';
import { outcomeOf } from '../../client/span-outcome.ts';

/** A span of a trace, as platforms list it. */
export interface ListedSpan {
  readonly id?: string | undefined;
  readonly parent_run_id?: string | null | undefined;
  readonly name?: string | undefined;
  readonly run_type?: string | undefined;
  readonly status?: string | undefined;
  readonly start_time?: string | undefined;
  readonly end_time?: string | null | undefined;
  readonly error?: string | null | undefined;
  readonly total_tokens?: number | null | undefined;
  readonly inputs?: unknown;
  readonly outputs?: unknown;
  readonly extra?: unknown;
}

/** A span without what differs in every run: IDs and times. */
interface ComparableSpan {
  readonly span: string;
  readonly type: string;
  readonly outcome?: string;
  readonly error?: string;
  readonly tokens?: number;
  readonly inputs?: unknown;
  readonly outputs?: unknown;
  readonly spans?: readonly ComparableSpan[];
}

/** Longer payloads, in characters of JSON, are shown by their length, because nobody reads a diff of them. */
const MAX_PAYLOAD_LENGTH = 50_000;
/** UUIDs, and the IDs that model providers give. */
const IDS =
  /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b|\b(?:call|chatcmpl|fc|msg|resp|toolu)[_-][A-Za-z0-9]{8,}\b/gi;
const ID = '‹id›';

const NodeExtra = z.looseObject({
  metadata: z.looseObject({ langgraph_step: z.number(), langgraph_node: z.string() }),
});

/**
 * A trace as a tree that can be compared with another one line by line. Nodes of one step of a graph, which
 * run in parallel, are sorted by name, so that they line up whatever their order was.
 * Spans whose parent is missing are below the root.
 * @returns undefined when there is no root
 */
export function comparableTrace(spans: readonly ListedSpan[]): ComparableSpan | undefined {
  const ids = new Set(spans.map(({ id }) => id));
  const below = Map.groupBy(spans, ({ parent_run_id }) =>
    parent_run_id && ids.has(parent_run_id) ? parent_run_id : undefined,
  );
  const tops = below.get(undefined) ?? [];
  const root = tops.find(({ parent_run_id }) => !parent_run_id) ?? tops[0];
  if (root === undefined) return undefined;
  const compared = toComparable(root, below);
  if (tops.length === 1) return compared;
  const others = inOrder(tops.filter((span) => span !== root)).map((span) => toComparable(span, below));
  return { ...compared, spans: [...(compared.spans ?? []), ...others] };
}

function toComparable(
  span: ListedSpan,
  below: ReadonlyMap<string | undefined, readonly ListedSpan[]>,
): ComparableSpan {
  const outcome = outcomeOf(span);
  const children = (span.id === undefined ? undefined : below.get(span.id)) ?? [];
  return {
    span: span.name ?? '',
    type: span.run_type ?? 'chain',
    ...(outcome !== 'success' && { outcome }),
    ...(outcome === 'error' && span.error && { error: masked(span.error) }),
    ...(span.total_tokens && { tokens: span.total_tokens }),
    ...(span.inputs != null && { inputs: comparablePayload(span.inputs) }),
    ...(span.outputs != null && { outputs: comparablePayload(span.outputs) }),
    ...(children.length > 0 && { spans: inOrder(children).map((child) => toComparable(child, below)) }),
  };
}

function inOrder(spans: readonly ListedSpan[]): readonly ListedSpan[] {
  const start = ({ start_time = '' }: ListedSpan) => start_time;
  const name = (span: ListedSpan) => span.name ?? '';
  return spans.toSorted((a, b) => {
    const [left, right] = [stepOf(a), stepOf(b)];
    if (left === undefined || right === undefined) return start(a).localeCompare(start(b));
    return left - right || name(a).localeCompare(name(b)) || start(a).localeCompare(start(b));
  });
}

/** The step of a node's own span. The spans below a node have the same metadata, but another name. */
function stepOf({ name, extra }: ListedSpan): number | undefined {
  const metadata = NodeExtra.safeParse(extra).data?.metadata;
  return metadata?.langgraph_node === name ? metadata?.langgraph_step : undefined;
}

function comparablePayload(value: unknown): unknown {
  const text = JSON.stringify(withPlainMessages(value));
  if (text.length > MAX_PAYLOAD_LENGTH) return `‹${text.length.toLocaleString()} characters›`;
  return JSON.parse(masked(text));
}

function masked(text: string): string {
  return text.replaceAll(IDS, ID);
}
