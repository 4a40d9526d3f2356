import { z } from 'zod';
import type { Priced } from '../../../contract/tracing/priced.ts';
import type { MissingContent } from '../../../terms/missing-content.ts';
import { type ShowableOrigin, SpanOrigin } from '../../traces/span-origin.ts';
import { FeedbackByPerson, FeedbackToDelete, type GivenFeedback } from '../feedback.ts';
import { FileToOpen } from '../file-to-open.ts';

export type { ShowableOrigin } from '../../traces/span-origin.ts';

/**
 * The messages between the trace panel's webview and the extension host. Spans come as events, in pages and
 * without payloads; the payloads of a span are requested when it is selected.
 */

const Nothing = z.object({});
const OfRun = z.object({ run_id: z.string() });

/** Requests of the webview by name, with their parameters as the host checks them. */
export const tracePanelRequests = {
  /** The webview has loaded: asks for the spans, from the first. */
  ready: Nothing,
  /** The payloads and the feedback of a span. */
  span: OfRun,
  /**
   * The parts of a span's origin that this window can open; requested separately, because runtimes may take a
   * while to find them.
   */
  places: SpanOrigin,
  feedback: FeedbackByPerson,
  deleteFeedback: FeedbackToDelete,
  /** Shows the thread that a span belongs to in a run panel. */
  openThread: SpanOrigin,
  /** Shows the source of the node that a span belongs to. */
  openSource: SpanOrigin,
  /** Shows the source of a frame in an error's stack. */
  openFrame: z.object({ file: z.string(), line: z.int().min(1), column: z.int().min(1).optional() }),
  /** Opens a span with its inputs and outputs as a JSON document. */
  openSpan: z.object({ run_id: z.string(), name: z.string() }),
  /** Opens a value as a read-only JSON document. */
  openJson: z.object({ title: z.string(), value: z.unknown() }),
  openFile: FileToOpen,
  copyId: OfRun,
  /** Opens the input of a span's node, to run it alone. */
  runNode: OfRun,
  /** Copies text to the clipboard, which a webview cannot do while its context menu has focus. */
  copy: z.object({ text: z.string() }),
  showLog: Nothing,
};

type TracePanelRequest = keyof typeof tracePanelRequests;
export type TracePanelParams = { [R in TracePanelRequest]: z.input<(typeof tracePanelRequests)[R]> };

/**
 * `interrupted` is a span that LangGraph ended in order to wait for a person, `paused` a thread at a
 * breakpoint.
 */
export type SpanStatus = 'pending' | 'success' | 'error' | 'interrupted' | 'paused' | 'cancelled';

/** A span as the waterfall needs it. Zeros are left out, because there may be very many spans. */
export interface Span {
  readonly id: string;
  readonly parent?: string;
  readonly name: string;
  readonly type: string;
  readonly status: SpanStatus;
  /** Milliseconds since 1970, with fractions. */
  readonly start: number;
  readonly end?: number;
  /** The number of tokens as the platform counts them, with or without the spans below. */
  readonly tokens?: number;
  /** The cost in US dollars, counted in the same way. */
  readonly cost?: number;
  /** The beginning of its error. */
  readonly error?: string;
  /** Keys of its feedback. */
  readonly feedback?: readonly string[];
}

/** A payload that is not sent because it is too large to read; it can be opened as a document. */
export interface Oversized {
  readonly oversized_bytes: number;
}

export interface SpanDetails {
  readonly id: string;
  readonly inputs: unknown;
  readonly outputs: unknown;
  /** Whether the inputs are from a model's message that asked for the tool, because the span has none. */
  readonly inputs_inferred?: boolean;
  /**
   * For each empty payload, the attribute that would contain it, and the setting that makes the sender
   * record it.
   */
  readonly missing?: Readonly<Record<'inputs' | 'outputs', MissingContent | undefined>>;
  readonly error: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tags: readonly string[];
  readonly prompt_tokens: number | undefined;
  readonly completion_tokens: number | undefined;
  /** How its cost was computed, if the platform says so. */
  readonly price: Priced | undefined;
  /** Milliseconds since 1970. */
  readonly first_token: number | undefined;
  readonly feedback: readonly GivenFeedback[];
  readonly origin: SpanOrigin;
  /** Whether it belongs to a node of a graph. */
  readonly has_node: boolean;
}

/** The answer to `ready`: facts for the header, and what the panel offers. */
export interface TraceHead {
  readonly project: string;
  /** Keys that are commonly used for feedback. */
  readonly feedback_keys: readonly string[];
  /** Further facts for the header, as text. */
  readonly facts?: readonly string[];
  /** Whether the trace is from a file, so that no feedback can be given. */
  readonly is_read_only?: boolean;
}

export interface TracePanelResponses {
  ready: TraceHead;
  span: SpanDetails;
  places: ShowableOrigin;
  feedback: undefined;
  deleteFeedback: undefined;
  openThread: undefined;
  openSource: undefined;
  openFrame: undefined;
  openSpan: undefined;
  openJson: undefined;
  openFile: undefined;
  copyId: undefined;
  runNode: undefined;
  copy: undefined;
  showLog: undefined;
}

export type TraceEvent =
  /** Further spans, and spans that have changed. */
  | { readonly type: 'spans'; readonly spans: readonly Span[] }
  /** All current spans were sent. */
  | { readonly type: 'loaded' }
  /** A span's payloads or feedback may have changed. */
  | { readonly type: 'changed' }
  /** The whole trace has changed, and must be requested again. */
  | { readonly type: 'reset' }
  | { readonly type: 'select'; readonly run_id: string }
  | { readonly type: 'failed'; readonly message: string };

/** Kept by the webview with `setState`, so that the panel is restored after a reload or a restart. */
export const TracePanelState = z.object({
  version: z.literal(1),
  /** The ID of the connection whose platform has the trace. */
  connection: z.string().default('local'),
  trace_id: z.string(),
  selected: z.string().optional(),
  /** IDs of collapsed spans. */
  folded: z.array(z.string()).default([]),
  query: z.string().default(''),
  only_errors: z.boolean().default(false),
  /** The waterfall's share of the window. */
  split: z.number().min(0.1).max(0.9).default(0.55),
});
export type TracePanelState = z.output<typeof TracePanelState>;
