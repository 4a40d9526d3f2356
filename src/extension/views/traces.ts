import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import { outcomeOf, readOutcomes, type SpanOutcome } from '../../client/span-outcome.ts';
import type { TtlSettings } from '../../contract/purging.ts';
import type { RunRead, RunsFilter, TraceNode } from '../../contract/tracing/runs.ts';
import type { Session } from '../../contract/tracing/sessions.ts';
import { costText } from '../../terms/money.ts';
import { runTypeIcon } from '../../terms/run-type-icon.ts';
import type { PlatformConnection } from '../connections/connection.ts';
import { ago, joinParts, latency, shortId } from '../wording/format.ts';
import { shownName } from '../wording/span-name.ts';
import { type TraceTitle, traceTitle } from '../wording/trace-title.ts';
import { MoreElement } from './more.ts';
import { NoteElement } from './note.ts';
import { feedbackText, iconOf, type SpanFields, tokensText } from './span-row.ts';
import { isEmpty, queryOf } from './trace-filter.ts';
import type { TraceOptions } from './trace-options.ts';
import type { TreeElement } from './tree.ts';

/** How many traces a project shows at first, and how many more each time. */
const PAGE_SIZE = 50;
/** Platforms return at most this many traces at once. */
const MAX_PER_REQUEST = 100;

/** The fields of {@link FoundTrace}. */
const TRACE_FIELDS = [
  'id',
  'trace_id',
  'name',
  'status',
  'start_time',
  'end_time',
  'error',
  'total_tokens',
  'total_cost',
  'feedback_stats',
  'run_type',
  'inputs_preview',
];

interface ProjectParts {
  readonly connection: PlatformConnection;
  readonly client: Client;
  readonly options: TraceOptions;
  readonly retention: TtlSettings | undefined;
  /** How many traces each project shows, by its ID. */
  readonly shown: Map<string, number>;
}

/** A tracing project, which expands into its newest traces. */
export class ProjectElement implements TreeElement {
  readonly id: string;
  readonly project: Session;
  readonly #isFirst: boolean;
  readonly #parts: ProjectParts;

  /** @param isFirst whether it is the first project of the view, which is expanded */
  constructor(project: Session, isFirst: boolean, parts: ProjectParts) {
    this.project = project;
    this.id = `project:${project.id}`;
    this.#isFirst = isFirst;
    this.#parts = parts;
  }

  get client(): Client {
    return this.#parts.client;
  }

  /** The platform that has it. */
  get platform(): PlatformConnection {
    return this.#parts.connection;
  }

  /** The ID of the connection whose platform has the project. */
  get connection(): string {
    return this.#parts.connection.id;
  }

  getTreeItem(): vscode.TreeItem {
    const item = new vscode.TreeItem(
      this.project.name,
      this.#isFirst ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed,
    );
    item.description = ago(this.project.last_run_start_time);
    item.iconPath = new vscode.ThemeIcon('project');
    item.contextValue = 'project';
    item.tooltip = [this.project.name, this.#retentionText()].filter((line) => line).join('\n');
    item.accessibilityInformation = {
      label: joinParts(vscode.l10n.t('project {0}', this.project.name), item.description),
    };
    return item;
  }

  #retentionText(): string | undefined {
    const { retention } = this.#parts;
    if (retention === undefined) return undefined;
    const { shortlived_ttl_days, longlived_ttl_days, default_trace_tier } = retention;
    const tier = this.project.trace_tier ?? default_trace_tier;
    const days = tier === 'longlived' ? longlived_ttl_days : shortlived_ttl_days;
    return days === 1
      ? vscode.l10n.t('New traces are deleted after 1 day.')
      : vscode.l10n.t('New traces are deleted after {0} days.', days);
  }

  async getChildren(): Promise<readonly TreeElement[]> {
    const { client, options, shown } = this.#parts;
    const wanted = shown.get(this.project.id) ?? PAGE_SIZE;
    const filter = options.filter.value;
    const query = { ...queryOf(filter), session: [this.project.id], is_root: true };
    const { found, isMore } = await readTraces(client, query, wanted);
    const headOf = found.some(({ error }) => error)
      ? (await import('../../terms/error-text.ts')).errorHead
      : undefined;
    const traces = found.flatMap((run) =>
      run.id === undefined ? [] : [new TraceElement(run.id, run, headOf?.(run.error ?? ''), client, this)],
    );
    if (traces.length === 0) {
      const text = isEmpty(filter)
        ? vscode.l10n.t('No traces yet.')
        : vscode.l10n.t('No traces match this filter.');
      return [new NoteElement(this, text)];
    }
    if (!isMore) return traces;
    const count = await countTraces(client, query);
    const left = count === undefined ? undefined : count - traces.length;
    return [...traces, new MoreElement(this, left, () => shown.set(this.project.id, wanted + PAGE_SIZE))];
  }
}

/** Reads the newest traces that match a query. */
async function readTraces(
  { tracing }: Client,
  query: RunsFilter,
  wanted: number,
): Promise<{ found: readonly FoundTrace[]; isMore: boolean }> {
  const found: FoundTrace[] = [];
  let cursor: string | null | undefined;
  do {
    const { runs, cursors } = await tracing.runs.query({
      body: {
        ...query,
        order: 'desc',
        limit: Math.min(MAX_PER_REQUEST, wanted - found.length),
        select: TRACE_FIELDS,
        cursor: cursor ?? null,
      },
    });
    found.push(...runs);
    cursor = cursors.next;
  } while (cursor && found.length < wanted);
  return { found, isMore: Boolean(cursor) };
}

/** Counts the traces that match a query; undefined if the platform does not count. */
function countTraces({ tracing }: Client, query: RunsFilter): Promise<number | undefined> {
  return tracing.runs
    .stats({ body: { ...query, select: ['run_count'] } })
    .then(({ run_count }) => (typeof run_count === 'number' ? run_count : undefined))
    .catch(() => undefined);
}

/** A trace in the answer of a query. */
interface FoundTrace extends SpanFields {
  readonly id?: string | undefined;
  readonly trace_id?: string | undefined;
  readonly feedback_stats?: RunRead['feedback_stats'];
  /** The beginning of its inputs. */
  readonly inputs_preview?: unknown;
}

/** Longer errors are cut, in tooltips and when a chat is asked to fix them. */
const MAX_ERROR_LENGTH = 500;

/** A trace, which expands into its spans. */
export class TraceElement implements TreeElement {
  readonly id: string;
  readonly runId: string;
  readonly client: Client;
  readonly parent: ProjectElement;
  readonly label: string;
  /** The first line of its error; undefined unless the trace failed. */
  readonly error: string | undefined;
  readonly #trace: FoundTrace;
  readonly #title: TraceTitle;

  /** @param head the first line of its error */
  constructor(
    runId: string,
    trace: FoundTrace,
    head: string | undefined,
    client: Client,
    parent: ProjectElement,
  ) {
    this.runId = runId;
    this.#trace = trace;
    this.error = outcomeOf(trace) === 'error' ? head?.slice(0, MAX_ERROR_LENGTH) : undefined;
    this.client = client;
    this.parent = parent;
    this.id = `trace:${runId}`;
    this.#title = traceTitle(trace);
    this.label = this.#title.label ?? shortId(runId);
  }

  get connection(): string {
    return this.parent.connection;
  }

  get traceId(): string {
    return this.#trace.trace_id ?? this.runId;
  }

  get traceName(): string {
    return this.label;
  }

  get startTime(): string | undefined {
    return this.#trace.start_time;
  }

  getTreeItem(): vscode.TreeItem {
    const trace = this.#trace;
    const item = new vscode.TreeItem(this.label, vscode.TreeItemCollapsibleState.Collapsed);
    item.description = joinParts(
      this.#title.graph,
      latency(trace.start_time, trace.end_time),
      tokensText(trace),
      costText(trace.total_cost) || undefined,
      feedbackText(trace.feedback_stats),
      ago(trace.start_time),
    );
    const outcome = outcomeOf(trace);
    item.iconPath = iconOf(outcome, this.#title.isUpdate ? 'edit' : 'pulse');
    item.contextValue = outcome === 'error' || outcome === 'interrupted' ? 'trace.stopped' : 'trace';
    item.tooltip = joinParts(this.label, trace.name, outcome, this.error, this.runId);
    item.accessibilityInformation = {
      label: joinParts(vscode.l10n.t('trace {0}', this.label), outcome, item.description),
    };
    item.command = openTraceCommand(this);
    return item;
  }

  async getChildren(): Promise<readonly TreeElement[]> {
    const { readTraceTree } = await import('../../client/trace-tree.ts');
    const root = await readTraceTree(this.client, this.traceId);
    const outcomes = await readOutcomes(this.client, root);
    return root.child_runs.map((run) => new SpanElement(run, outcomes, this, this));
  }
}

/** A span of a trace, which expands into the spans below it. */
export class SpanElement implements TreeElement {
  readonly id: string;
  readonly runId: string;
  readonly parent: TreeElement;
  readonly label: string;
  readonly getChildren?: () => Promise<readonly TreeElement[]>;
  readonly #run: TraceNode;
  readonly #outcome: SpanOutcome;
  readonly #trace: TraceElement;

  /** @param outcomes of the unsuccessful spans of the trace */
  constructor(
    run: TraceNode,
    outcomes: ReadonlyMap<string, SpanOutcome>,
    parent: TreeElement,
    trace: TraceElement,
  ) {
    this.#run = run;
    this.#outcome = outcomes.get(run.id) ?? outcomeOf(run);
    this.#trace = trace;
    this.runId = run.id;
    this.parent = parent;
    this.label = shownName(run.name);
    this.id = `span:${run.id}`;
    if (run.child_runs.length > 0) {
      this.getChildren = async () =>
        run.child_runs.map((child) => new SpanElement(child, outcomes, this, trace));
    }
  }

  get connection(): string {
    return this.#trace.connection;
  }

  get traceId(): string {
    return this.#trace.traceId;
  }

  get traceName(): string {
    return this.#trace.label;
  }

  get client(): Client {
    return this.#trace.client;
  }

  getTreeItem(): vscode.TreeItem {
    const run = this.#run;
    const item = new vscode.TreeItem(
      this.label,
      this.getChildren === undefined
        ? vscode.TreeItemCollapsibleState.None
        : vscode.TreeItemCollapsibleState.Expanded,
    );
    item.description = joinParts(
      latency(run.start_time, run.end_time),
      tokensText(run),
      costText(run.total_cost) || undefined,
    );
    item.iconPath = iconOf(this.#outcome, runTypeIcon(run.run_type));
    item.contextValue = this.#outcome === 'error' ? 'span.failed' : 'span';
    item.tooltip = joinParts(run.run_type, this.#outcome, run.id);
    item.accessibilityInformation = {
      label: joinParts(vscode.l10n.t('{0} {1}', run.run_type, this.label), this.#outcome, item.description),
    };
    item.command = openTraceCommand(this);
    return item;
  }
}

/** The action of a click on a trace or a span. */
function openTraceCommand(element: TraceElement | SpanElement): vscode.Command {
  return { command: 'agentHarbor.openTrace', title: vscode.l10n.t('Open Trace'), arguments: [element] };
}
