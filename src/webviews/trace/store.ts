import type {
  Span,
  SpanDetails,
  SpanPlacesKnown,
  TraceEvent,
  TraceHead,
  TracePanelParams,
  TracePanelRequest,
  TracePanelResponses,
  TracePanelState,
} from '../../extension/panels/trace/messages.ts';
import { textOfMenu } from '../shared/copy-menu.ts';
import { Host } from '../shared/host.ts';
import { sentenceOf } from '../shared/sentence-of.ts';
import { ancestorsOf, type Row, rowsOf, type SpanNode, type Trace, traceOf } from './waterfall.ts';

/** Payloads are requested once the selection rests: arrow keys run past many spans. */
const REST_MS = 80;
/** Pages of a large trace are put into the tree together: no more often than this. */
const REBUILD_MS = 150;
/** More collapsed spans than this are not remembered. */
const MAX_FOLDED = 500;

export interface TraceView {
  readonly head: TraceHead | undefined;
  readonly trace: Trace;
  /** Whether all spans there were have come. */
  readonly loaded: boolean;
  readonly rows: readonly Row[];
  readonly selected: SpanNode | undefined;
  /** The details of the selected span, once they are loaded. */
  readonly details: SpanDetails | undefined;
  /** The parts of its origin that can be shown, once they are known. */
  readonly places: SpanPlacesKnown | undefined;
  /** Why the details did not come. */
  readonly detailsProblem: string | undefined;
  /** The error message of a failed request. */
  readonly problem: string | undefined;
  readonly saved: TracePanelState;
}

/** State and requests of the panel. Changes are reported to one listener. */
export class TracePanelStore {
  readonly #host: Host<TracePanelParams, TracePanelResponses, TraceEvent>;
  readonly #listen: () => void;
  readonly #spans = new Map<string, Span>();
  #view: TraceView;
  /** Whether a span was explicitly selected. */
  #isChosen: boolean;
  #rebuilding: ReturnType<typeof setTimeout> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param saved what the page came with, used when the webview has kept nothing itself. */
  constructor(saved: TracePanelState, listen: () => void) {
    this.#listen = listen;
    this.#host = new Host(
      (events) => {
        for (const event of events) this.#receive(event);
      },
      (key) => {
        const text = key === 'copy' ? textOfMenu() : undefined;
        if (text !== undefined) void this.ask('copy', { text });
      },
    );
    const kept = this.#host.state;
    // Only this page writes it.
    const before = kept as TracePanelState | undefined;
    // A panel that is reused has kept what belongs to the trace before.
    const state = before === undefined || before.trace_id !== saved.trace_id ? saved : before;
    this.#isChosen = state.selected !== undefined;
    const trace = traceOf([]);
    this.#view = {
      head: undefined,
      trace,
      loaded: false,
      rows: [],
      selected: undefined,
      details: undefined,
      places: undefined,
      detailsProblem: undefined,
      problem: undefined,
      saved: state,
    };
    this.#host.state = state;
  }

  get view(): TraceView {
    return this.#view;
  }

  async open(): Promise<void> {
    const head = await this.ask('ready', {});
    if (head !== undefined) this.#update({ head });
  }

  /** Asks the host for something; a failure shows as the panel's problem, and gives `false`. */
  async did<R extends TracePanelRequest>(request: R, params: TracePanelParams[R]): Promise<boolean> {
    await this.ask(request, params);
    return this.#view.problem === undefined;
  }

  async ask<R extends TracePanelRequest>(
    request: R,
    params: TracePanelParams[R],
  ): Promise<TracePanelResponses[R] | undefined> {
    this.#update({ problem: undefined });
    try {
      return await this.#host.request(request, params);
    } catch (error) {
      this.#update({ problem: sentenceOf(error) });
      return undefined;
    }
  }

  dismissProblem(): void {
    this.#update({ problem: undefined });
  }

  /** Selects a span and expands its ancestors. */
  select(id: string): void {
    this.#isChosen = true;
    this.#select(id);
  }

  fold(ids: Iterable<string>): void {
    this.#save({ folded: [...new Set([...this.#view.saved.folded, ...ids])].slice(-MAX_FOLDED) });
  }

  unfold(ids: Iterable<string>): void {
    const gone = new Set(ids);
    this.#save({ folded: this.#view.saved.folded.filter((id) => !gone.has(id)) });
  }

  /** Changes what is shown, and how. */
  show(change: Partial<Pick<TracePanelState, 'query' | 'only_errors' | 'split'>>): void {
    this.#save(change);
  }

  #save(change: Partial<TracePanelState>): void {
    const saved = { ...this.#view.saved, ...change };
    this.#host.state = saved;
    const keepsRows = Object.keys(change).every((key) => key === 'split' || key === 'selected');
    this.#update({ saved, ...(!keepsRows && { rows: rowsFor(this.#view.trace, saved) }) });
  }

  #select(id: string): void {
    const { nodes } = this.#view.trace;
    const selected = nodes.get(id);
    const above = new Set(selected === undefined ? [] : ancestorsOf(selected).map(({ span }) => span.id));
    const { saved } = this.#view;
    const folded = saved.folded.filter((one) => !above.has(one));
    this.#save({ selected: id, ...(folded.length < saved.folded.length && { folded }) });
    if (this.#view.details?.id !== id)
      this.#update({ details: undefined, places: undefined, detailsProblem: undefined });
    this.#update({ selected });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#readDetails(id), REST_MS);
  }

  async #readDetails(id: string): Promise<void> {
    // The span belongs to another trace, or has not arrived yet.
    if (!this.#spans.has(id)) return;
    try {
      const details = await this.#host.request('span', { run_id: id });
      if (this.#view.saved.selected !== id) return;
      this.#update({ details, detailsProblem: undefined });
      const places = await this.#host.request('places', details.origin);
      if (this.#view.saved.selected === id) this.#update({ places });
    } catch (error) {
      if (this.#view.saved.selected === id) this.#update({ detailsProblem: sentenceOf(error) });
    }
  }

  #receive(event: TraceEvent): void {
    switch (event.type) {
      case 'spans':
        for (const span of event.spans) this.#spans.set(span.id, span);
        // The first are shown immediately.
        this.#rebuilding ??= setTimeout(() => this.#rebuild(), this.#view.trace.root ? REBUILD_MS : 0);
        break;
      case 'loaded':
        this.#rebuild(true);
        break;
      case 'changed': {
        const { selected } = this.#view.saved;
        if (selected !== undefined && this.#view.details?.id === selected) void this.#readDetails(selected);
        break;
      }
      case 'select':
        this.select(event.run_id);
        break;
      case 'failed':
        this.#update({ problem: event.message });
    }
  }

  #rebuild(loaded = this.#view.loaded): void {
    clearTimeout(this.#rebuilding);
    this.#rebuilding = undefined;
    const trace = traceOf(this.#spans.values());
    const before = this.#view.saved.selected;
    this.#update({
      trace,
      loaded,
      rows: rowsFor(trace, this.#view.saved),
      selected: before === undefined ? undefined : trace.nodes.get(before),
    });
    // Errors first: where one began, once all are known.
    const first = (loaded ? trace.errors[0] : undefined) ?? trace.root;
    const wanted = this.#isChosen ? before : first?.span.id;
    if (wanted !== undefined && (wanted !== before || this.#view.details === undefined)) this.#select(wanted);
    if (loaded) this.#isChosen = true;
  }

  #update(change: Partial<TraceView>): void {
    this.#view = { ...this.#view, ...change };
    this.#listen();
  }
}

function rowsFor(trace: Trace, { folded, query, only_errors }: TracePanelState): readonly Row[] {
  return rowsOf(trace, { folded: new Set(folded), query, onlyErrors: only_errors });
}
