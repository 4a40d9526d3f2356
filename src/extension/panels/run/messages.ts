import { z } from 'zod';

/**
 * What the run panel's webview and the extension host say to each other. The webview asks (request and response);
 * the host tells (a journal of entries). The webview shows nothing but the journal, so playing it again after the
 * webview was hidden, or building it again after a restart, brings the same picture back.
 */

const Nothing = z.object({});

/** Requests of the webview by name, with their parameters as the host checks them. */
export const runPanelRequests = {
  /** The webview has loaded: asks for the session and for the journal so far. */
  ready: Nothing,
  /** Starts a run. A thread is made when there is none. */
  start: z.object({ input: z.unknown() }),
  /** Answers what the thread waits for: one value, or interrupt id to value when several wait. */
  resume: z.object({ resume: z.unknown() }),
  cancel: Nothing,
  newThread: Nothing,
  feedback: z.object({
    run_id: z.string(),
    key: z.string(),
    score: z.number().optional(),
    comment: z.string().optional(),
  }),
  showTrace: z.object({ run_id: z.string() }),
  openState: Nothing,
  showLog: Nothing,
  /** Opens a value as a read-only JSON document. */
  openJson: z.object({ title: z.string(), value: z.unknown() }),
};

export type RunPanelRequest = keyof typeof runPanelRequests;
export type RunPanelParams = { [R in RunPanelRequest]: z.input<(typeof runPanelRequests)[R]> };

/** What the panel runs, and how its input looks. */
export interface Session {
  readonly assistant: string;
  readonly graph_id: string;
  readonly deployment: string;
  readonly thread_id: string | undefined;
  /** `chat` when the graph's input has messages. */
  readonly input: 'chat' | 'json';
  /** What the JSON editor starts with. */
  readonly template: string;
}

export interface RunPanelResponses {
  ready: Session;
  start: undefined;
  resume: undefined;
  cancel: undefined;
  newThread: undefined;
  feedback: undefined;
  showTrace: undefined;
  openState: undefined;
  showLog: undefined;
  openJson: undefined;
}

/** One event of a run's stream; `feedback` events never get here, as their links are credentials. */
export interface StreamEvent {
  readonly event: string;
  readonly data: unknown;
}

export interface Interrupt {
  readonly id?: string | null | undefined;
  readonly value: unknown;
}

export type RunOutcome = 'success' | 'error' | 'interrupted' | 'timeout' | 'cancelled' | 'unknown';

export type JournalEntry =
  /** Everything before is gone: the panel begins anew, on this thread or on none. */
  | { readonly type: 'reset'; readonly thread_id: string | undefined }
  /** What the thread held when the panel opened it. */
  | { readonly type: 'history'; readonly values: unknown; readonly interrupts: readonly Interrupt[] }
  | {
      readonly type: 'run-started';
      readonly run_id: string;
      readonly thread_id: string;
      /** `undefined` for a run that the panel has joined. */
      readonly input?: unknown;
      readonly resume?: unknown;
    }
  | { readonly type: 'stream'; readonly run_id: string; readonly events: readonly StreamEvent[] }
  | {
      readonly type: 'run-ended';
      readonly run_id: string;
      readonly outcome: RunOutcome;
      readonly duration_ms: number | undefined;
    }
  | { readonly type: 'feedback-asked'; readonly run_id: string; readonly keys: readonly string[] }
  | {
      readonly type: 'feedback-given';
      readonly run_id: string;
      readonly key: string;
      readonly score?: number | undefined;
      readonly comment?: string | undefined;
    }
  /** The stream broke and is being joined again, or is back. */
  | { readonly type: 'connection'; readonly state: 'lost' | 'back' };

/** What the webview keeps with `setState`, so that the panel comes back after a reload or a restart. */
export const RunPanelState = z.object({
  version: z.literal(1),
  target: z.object({
    /** The key of the deployment. */
    deployment: z.string(),
    assistant_id: z.string(),
    thread_id: z.string().optional(),
  }),
  draft: z.string().default(''),
  mode: z.enum(['chat', 'json']).optional(),
  steps: z.boolean().default(true),
});
export type RunPanelState = z.output<typeof RunPanelState>;
