import { z } from 'zod';
import { StreamMode } from '../../../contract/agent-server/runs.ts';
import type { Diagram } from '../../graphs/diagram.ts';
import type { HistoryEntry } from '../../states/thread-history.ts';
import { FeedbackByPerson, FeedbackToDelete } from '../feedback.ts';
import { FileToOpen } from '../file-to-open.ts';
import type { ValueHistory } from './value-step.ts';

export type { Diagram, DiagramEdge, DiagramNode } from '../../graphs/diagram.ts';
export type { HistoryEntry } from '../../states/thread-history.ts';

/**
 * The messages between the run panel's webview and the extension host. The webview asks (request and
 * response); the host sends (a journal of entries). The webview shows the thread from the journal alone, so
 * a replay restores the same picture after the webview was hidden.
 */

/** The stream modes that the panel always uses; other modes are shown as events. */
export const DEFAULT_STREAM_MODES = ['values', 'messages-tuple', 'updates', 'custom'] as const;
/**
 * `messages` and `tools` are excluded, because the panel reads messages from `messages-tuple`, and tool
 * calls from the events of tasks.
 */
const PanelMode = StreamMode.exclude(['messages', 'tools']);
export type StreamModeName = z.output<typeof PanelMode>;
/** The stream modes to choose from, those that are always used first. */
export const ALL_STREAM_MODES: readonly StreamModeName[] = [
  ...new Set([...DEFAULT_STREAM_MODES, ...PanelMode.options]),
];

/** A breakpoint of a node: when it stops, or what it logs instead. */
export const Breakpoint = z.object({
  node: z.string(),
  /** An expression over the state; the run stops only where it is true. */
  condition: z.string().optional(),
  /** The run stops from this hit on. */
  hit_count: z.int().min(1).optional(),
  /** Written to the log instead of stopping. */
  log: z.string().optional(),
});
export type Breakpoint = z.output<typeof Breakpoint>;

/** The settings of runs, besides their input. */
export const RunOptions = z.object({
  stream_modes: z.array(PanelMode).min(1),
  /** The nodes before and after which runs stop. */
  interrupt_before: z.array(z.string()),
  interrupt_after: z.array(z.string()),
  /** Options of breakpoints, by node. */
  breakpoints: z.array(Breakpoint).optional(),
  /** The keys for which feedback is asked; by default those of the setting. */
  feedback_keys: z.array(z.string().min(1).max(180)).optional(),
  /** The context for the graph, instead of the assistant's own. */
  context: z.record(z.string(), z.unknown()).optional(),
  // These fields have LangGraph's names. If absent, the server or the assistant provides them.
  recursion_limit: z.int().min(1).optional(),
  tags: z.array(z.string().min(1)).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  durability: z.enum(['sync', 'async', 'exit']).optional(),
  /** How an active run on the thread is treated; `enqueue` by default. */
  multitask_strategy: z.enum(['reject', 'enqueue', 'interrupt', 'rollback']).optional(),
  /** Keeps what models and tools answer, so that the run can be saved as a file and replayed. */
  record: z.literal(true).optional(),
});
export type RunOptions = z.output<typeof RunOptions>;

/** The options of a panel in which none was changed. */
export const usualOptions: RunOptions = {
  stream_modes: [...DEFAULT_STREAM_MODES],
  interrupt_before: [],
  interrupt_after: [],
};

const Nothing = z.object({});
const Checkpoint = z.object({ checkpoint_id: z.string() });
const StateEdit = Checkpoint.partial().extend({
  values: z.record(z.string(), z.unknown()),
  as_node: z.string().optional(),
  /** The checkpoint whose values were edited. */
  read: z.string().optional(),
});
export type StateEdit = z.output<typeof StateEdit>;
const Queued = z.object({ run_id: z.string() });
const WithOptions = z.object({ options: RunOptions });

/** Requests of the webview by name, with their parameters as the host checks them. */
export const runPanelRequests = {
  /** The webview has loaded: asks for the session and for the journal so far. */
  ready: Nothing,
  /** Asks for the session again, once the graph has loaded. */
  session: Nothing,
  /** Starts a run, or queues it behind the current one. A thread is created if there is none. */
  start: WithOptions.extend({ input: z.unknown() }),
  /**
   * Answers the interrupts of the thread: one value or, when several are waiting, an object with a value for
   * each interrupt ID.
   */
  resume: WithOptions.extend({ resume: z.unknown() }),
  /** Continues from the checkpoint that is shown, without input. */
  proceed: WithOptions,
  /** Continues, and stops the debugger at the first line of the next node, attaching it if necessary. */
  stepInto: WithOptions,
  cancel: Nothing,
  /** Replaces the input of a queued run. */
  editQueued: Queued.extend({ input: z.unknown() }),
  moveQueued: Queued.extend({ by: z.int() }),
  removeQueued: Queued,
  /** Ends the current run, with or without keeping its work, so that this queued run is next. */
  sendQueued: Queued.extend({ urgency: z.enum(['interrupt', 'rollback']) }),
  newThread: Nothing,
  /** Lets the user choose another assistant, or another thread, in a Quick Pick. */
  chooseAssistant: Nothing,
  chooseThread: Nothing,
  /** The states of the thread's history. */
  history: Nothing,
  /**
   * Shows the thread at a checkpoint, from which the next run forks; without a checkpoint, at its newest
   * state.
   */
  checkout: Checkpoint.partial(),
  /** Shows the thread before a message, so that another message can be sent instead. */
  checkoutBefore: z.object({ message_id: z.string() }),
  /** The values of a checkpoint, for editing. Defaults to the checkpoint that is shown. */
  stateToEdit: Checkpoint.partial(),
  /** Writes changes to the state at a checkpoint, as if a node had made them. */
  updateState: StateEdit,
  /** Opens the state at a checkpoint as an editable document. Defaults to the checkpoint that is shown. */
  editStateDocument: Checkpoint.partial(),
  feedback: FeedbackByPerson,
  deleteFeedback: FeedbackToDelete,
  /** The supersteps of the thread up to the state that is shown. */
  pastSteps: Nothing,
  /** A node's most recent input and output; inner nodes as `child:model`. */
  nodeDetails: z.object({ node: z.string() }),
  /** The state of the graph that a tool call has run, for a thread that is reopened. */
  subagent: z.object({ call_id: z.string() }),
  /** The graph with its subgraphs expanded. */
  drawUnfolded: Nothing,
  /** Asks whether an expression of a breakpoint is invalid, and why. */
  checkBreakpoint: Breakpoint.pick({ condition: true, log: true }),
  /** Opens the input of a node, to run it alone: where it ran last, or one of the nodes of a step. */
  runNode: z.object({ node: z.string().optional(), checkpoint_id: z.string().optional() }),
  /** Replays what follows a state of a recorded run. */
  replayFrom: Checkpoint,
  /** Compares the state of a step with the one that is shown. */
  compareStates: Checkpoint,
  /** Asks how the value of a key of the state changed. */
  valueHistory: z.object({ key: z.string() }),
  /** Compares two values in the diff editor. */
  compareValues: z.object({ title: z.string(), before: z.unknown(), after: z.unknown() }),
  showTrace: z.object({ run_id: z.string() }),
  openState: Checkpoint.partial(),
  showLog: Nothing,
  /** Opens the setting of the cost cap. */
  changeCostCap: Nothing,
  /** Shows the source of a node. */
  openSource: z.object({ node: z.string() }),
  /** Shows the source of a frame in an error's stack. */
  openFrame: z.object({ file: z.string(), line: z.int().min(1), column: z.int().min(1).optional() }),
  /** The stack of the error that ended a run, once its trace has it. */
  errorStack: z.object({ run_id: z.string() }),
  /** Opens a value as a read-only JSON document. */
  openJson: z.object({ title: z.string(), value: z.unknown() }),
  openFile: FileToOpen,
  /**
   * Opens a page that an MCP server asks the user to visit, once they have agreed to its host; returns
   * whether it was opened.
   */
  visit: z.object({ url: z.string() }),
  /** Lets the user choose files to send with a message. */
  chooseFiles: Nothing,
  /** Copies text to the clipboard, which a webview cannot do while its context menu has focus. */
  copy: z.object({ text: z.string() }),
};

/** A file to send with a message. */
export interface ChosenFile {
  readonly name: string;
  readonly mime: string;
  /** Base64. */
  readonly data: string;
}

export interface ChosenFiles {
  readonly files: readonly ChosenFile[];
  /** Why other files that were chosen are not sent, as sentences. */
  readonly problems: readonly string[];
}

export type RunPanelRequest = keyof typeof runPanelRequests;
export type RunPanelParams = { [R in RunPanelRequest]: z.input<(typeof runPanelRequests)[R]> };

/** The graph or assistant that the panel runs, and the form of its input. */
export interface Session {
  readonly assistant_id: string;
  readonly assistant: string;
  readonly graph_id: string;
  readonly deployment: string;
  /** The label of the deployment, with its platform. */
  readonly place: string;
  readonly is_production: boolean;
  /**
   * Whether the deployment is in an open folder, so that a debugger can attach to it and logpoints can write
   * to its log.
   */
  readonly is_live: boolean;
  /** `chat` when the graph's input has messages. */
  readonly input: 'chat' | 'json';
  /** JSON Schema of the input, where the graph has one. */
  readonly schema: Readonly<Record<string, unknown>> | undefined;
  /** Whether the server has not sent the schemas yet. The session is read again once it has. */
  readonly is_schema_late: boolean;
  /** JSON Schema of the graph's context, where it has one, and the assistant's own context. */
  readonly context_schema: Readonly<Record<string, unknown>> | undefined;
  readonly context: Readonly<Record<string, unknown>>;
  /** Initial text of the JSON editor. */
  readonly template: string;
  /** Present where the graph can be drawn. */
  readonly diagram: Diagram | undefined;
  /** The stream modes that the user can choose for a run. */
  readonly stream_modes: readonly StreamModeName[];
  /** Feedback keys from the setting. */
  readonly feedback_keys: readonly string[];
}

export interface History {
  /** The top-level keys of its states. */
  readonly keys: readonly string[];
  /** Newest first. */
  readonly entries: readonly HistoryEntry[];
  /** The checkpoint that is shown. */
  readonly current: string | undefined;
  /** The runs that were recorded. */
  readonly recorded: readonly string[];
}

/** A past superstep of the root graph. */
export interface PastStep {
  /** Its cause: the input, the superstep before it, or something else, such as an edited state. */
  readonly origin: 'start' | 'step' | 'elsewhere';
  /** Whether the graph had ended after it. */
  readonly isLast: boolean;
  readonly tasks: readonly {
    readonly task_id: string;
    readonly node: string;
    readonly phase: 'done' | 'failed' | 'waiting';
  }[];
}

/** A node's most recent input and output; unknown fields are omitted. */
export interface NodeDetails {
  /** The state that the node will be given, if the thread has stopped before it. */
  readonly nextInput?: unknown;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly error?: string;
  /** The state after the node ran. */
  readonly state?: unknown;
}

export interface EditableState {
  /** The checkpoint that was read. */
  readonly checkpoint_id: string | undefined;
  readonly values: unknown;
  /** The nodes that ran last: an update counts as made by one of them if no other is named. */
  readonly nodes: readonly string[];
}

export interface RunPanelResponses {
  ready: Session;
  session: Session;
  start: undefined;
  resume: undefined;
  proceed: undefined;
  stepInto: undefined;
  cancel: undefined;
  editQueued: undefined;
  moveQueued: undefined;
  removeQueued: undefined;
  sendQueued: undefined;
  newThread: undefined;
  chooseAssistant: Session | undefined;
  chooseThread: undefined;
  history: History;
  checkout: undefined;
  checkoutBefore: undefined;
  stateToEdit: EditableState;
  updateState: undefined;
  editStateDocument: undefined;
  feedback: undefined;
  deleteFeedback: undefined;
  pastSteps: readonly PastStep[];
  /** Empty if the node has not run. */
  nodeDetails: NodeDetails;
  subagent: unknown;
  drawUnfolded: Diagram;
  checkBreakpoint: { readonly condition: string | undefined; readonly log: string | undefined };
  runNode: undefined;
  replayFrom: undefined;
  compareStates: undefined;
  valueHistory: ValueHistory;
  compareValues: undefined;
  showTrace: undefined;
  openState: undefined;
  showLog: undefined;
  changeCostCap: undefined;
  openSource: undefined;
  openFrame: undefined;
  errorStack: string | undefined;
  openJson: undefined;
  openFile: undefined;
  visit: boolean;
  chooseFiles: ChosenFiles;
  copy: undefined;
}

/** Kept by the webview with `setState`, so that the panel is restored after a reload or a restart. */
export const RunPanelState = z.object({
  version: z.literal(1),
  target: z.object({
    /** The key of the deployment. */
    deployment: z.string(),
    assistant_id: z.string(),
    thread_id: z.string().optional(),
  }),
  draft: z.string().default(''),
  mode: z.enum(['chat', 'form', 'json']).optional(),
  /** The values in the form. */
  form: z.unknown().optional(),
  /** The values in the form of the context; if absent, the assistant's own context. */
  context: z.unknown().optional(),
  steps: z.boolean().default(true),
  options: RunOptions.default(usualOptions),
  shows_options: z.boolean().default(false),
  side: z.enum(['none', 'graph', 'history']).default('none'),
  /** The row that is at the top when scrolled up, and how many pixels of it are hidden. */
  scroll: z.object({ index: z.int().min(0), offset: z.number() }).optional(),
  /** Whether subgraphs are expanded in the graph. */
  unfolded: z.boolean().default(false),
  /** The measure that the nodes are colored by. */
  heat: z.enum(['none', 'time', 'tokens', 'errors']).default('none'),
  /** Whether the graph fills the panel. */
  wide: z.boolean().default(false),
  /** Zoom factor of the graph. If absent, the graph is fitted to the panel. */
  zoom: z.number().min(0.1).max(4).optional(),
});
export type RunPanelState = z.output<typeof RunPanelState>;
