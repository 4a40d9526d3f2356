import type {
  ShowableOrigin,
  Span,
  SpanDetails,
  TraceEvent,
  TraceHead,
  TracePanelParams,
  TracePanelResponses,
  TracePanelState,
} from '../../extension/panels/trace/messages.ts';
import type { PanelKey } from '../../extension/panels/webview-rpc.ts';
import { textOfMenu } from '../shared/copy-menu.ts';
import { PanelStore } from '../shared/panel-store.ts';
import { sentenceOf } from '../shared/sentence-of.ts';
import { innermostPlace } from '../shared/stack.ts';
import { type Row, rowsOf } from './rows.ts';
import { ancestorsOf, type SpanNode, type Trace, traceOf } from './waterfall.ts';

/** Details are requested once the selection has stayed this long, because arrow keys pass over many spans. */
const REST_MS = 80;
/** Pages of a large trace are added to the tree together, at most this often. */
const REBUILD_MS = 150;
/** How many collapsed spans are remembered; the ones collapsed first are dropped. */
const MAX_FOLDED = 500;

export interface TraceView {
  readonly head: TraceHead | undefined;
  readonly trace: Trace;
  /** Whether all current spans have arrived. */
  readonly loaded: boolean;
  readonly rows: readonly Row[];
  readonly selected: SpanNode | undefined;
  /** The details of the selected span, once they are loaded. */
  readonly details: SpanDetails | undefined;
  /** The parts of the span's origin that can be opened, once they are known. */
  readonly places: ShowableOrigin | undefined;
  /** Why the details could not be read. */
  readonly detailsProblem: string | undefined;
  /** The error message of a failed request. */
  readonly problem: string | undefined;
  readonly saved: TracePanelState;
}

/** The spans that have arrived, those that are visible, and the details of the selected one. */
export class TracePanelStore extends PanelStore<
  TraceView,
  TracePanelParams,
  TracePanelResponses,
  TraceEvent
> {
  readonly #spans = new Map<string, Span>();
  /** Whether the user selected a span, so that the panel does not select another one. */
  #isChosen: boolean;
  /** Whether new spans replace the old ones, so that the selected span may be gone. */
  #isReset = false;
  #rebuilding: ReturnType<typeof setTimeout> | undefined;
  #detailsTimer: ReturnType<typeof setTimeout> | undefined;

  /** @param saved the initial state of the page, used if the webview has stored none itself. */
  constructor(saved: TracePanelState, listen: () => void) {
    super(listen, (kept) => ({
      head: undefined,
      trace: traceOf([]),
      loaded: false,
      rows: [],
      selected: undefined,
      details: undefined,
      places: undefined,
      detailsProblem: undefined,
      problem: undefined,
      // A reused panel still has the state of the previous trace.
      saved: kept?.trace_id === saved.trace_id ? kept : saved,
    }));
    this.#isChosen = this.view.saved.selected !== undefined;
  }

  async open(): Promise<void> {
    const head = await this.ask('ready', {});
    if (head !== undefined) this.update({ head });
  }

  /** Selects a span and expands its ancestors. */
  select(id: string): void {
    this.#isChosen = true;
    this.#select(id);
  }

  /** Opens the line at which the selected span failed, or else the source of its node. */
  async goToSource(): Promise<void> {
    const { selected: id } = this.view.saved;
    if (id === undefined) return;
    // The user may press F12 before the details have arrived.
    const known = this.view.details?.id === id ? this.view.details : undefined;
    const details = known ?? (await this.ask('span', { run_id: id }));
    if (details === undefined) return;
    const place = innermostPlace(details.error ?? '');
    const isShown = place !== undefined && (await this.did('openFrame', { ...place }));
    if (!isShown) await this.ask('openSource', details.origin);
  }

  fold(ids: Iterable<string>): void {
    this.#save({ folded: [...new Set([...this.view.saved.folded, ...ids])].slice(-MAX_FOLDED) });
  }

  unfold(ids: Iterable<string>): void {
    const unfolded = new Set(ids);
    this.#save({ folded: this.view.saved.folded.filter((id) => !unfolded.has(id)) });
  }

  /** Changes what is shown, and how. */
  show(change: Partial<Pick<TracePanelState, 'query' | 'only_errors' | 'split'>>): void {
    this.#save(change);
  }

  #save(change: Partial<TracePanelState>): void {
    const saved = { ...this.view.saved, ...change };
    const keepsRows = Object.keys(change).every((key) => key === 'split' || key === 'selected');
    this.update({ saved, ...(!keepsRows && { rows: rowsFor(this.view.trace, saved) }) });
  }

  #select(id: string): void {
    const { nodes } = this.view.trace;
    const selected = nodes.get(id);
    const above = new Set(selected === undefined ? [] : ancestorsOf(selected).map(({ span }) => span.id));
    const { saved } = this.view;
    const folded = saved.folded.filter((one) => !above.has(one));
    this.#save({ selected: id, ...(folded.length < saved.folded.length && { folded }) });
    if (this.view.details?.id !== id)
      this.update({ details: undefined, places: undefined, detailsProblem: undefined });
    this.update({ selected });
    clearTimeout(this.#detailsTimer);
    this.#detailsTimer = setTimeout(() => void this.#readDetails(id), REST_MS);
  }

  async #readDetails(id: string): Promise<void> {
    // The span belongs to another trace, or has not arrived yet.
    if (!this.#spans.has(id)) return;
    try {
      const details = await this.request('span', { run_id: id });
      if (this.view.saved.selected !== id) return;
      this.update({ details, detailsProblem: undefined });
      const places = await this.request('places', details.origin);
      if (this.view.saved.selected === id) this.update({ places });
    } catch (error) {
      if (this.view.saved.selected === id) this.update({ detailsProblem: sentenceOf(error) });
    }
  }

  protected override press(key: PanelKey): void {
    const text = key === 'copy' ? textOfMenu() : undefined;
    if (text !== undefined) void this.ask('copy', { text });
  }

  protected override receive(events: readonly TraceEvent[]): void {
    for (const event of events) this.#take(event);
  }

  #take(event: TraceEvent): void {
    switch (event.type) {
      case 'spans':
        for (const span of event.spans) this.#spans.set(span.id, span);
        // The first spans are shown immediately.
        this.#rebuilding ??= setTimeout(() => this.#rebuild(), this.view.trace.root ? REBUILD_MS : 0);
        break;
      case 'loaded':
        this.#rebuild(true);
        break;
      case 'changed': {
        const { selected } = this.view.saved;
        if (selected !== undefined && this.view.details?.id === selected) void this.#readDetails(selected);
        break;
      }
      case 'reset':
        this.#spans.clear();
        this.#isReset = true;
        this.update({ loaded: false, details: undefined, places: undefined, problem: undefined });
        void this.open();
        break;
      case 'select':
        this.select(event.run_id);
        break;
      case 'failed':
        this.update({ problem: event.message });
    }
  }

  #rebuild(loaded = this.view.loaded): void {
    clearTimeout(this.#rebuilding);
    this.#rebuilding = undefined;
    const trace = traceOf(this.#spans.values());
    const before = this.view.saved.selected;
    if (loaded && this.#isReset) {
      this.#isReset = false;
      this.#isChosen = before !== undefined && trace.nodes.has(before);
    }
    this.update({
      trace,
      loaded,
      rows: rowsFor(trace, this.view.saved),
      selected: before === undefined ? undefined : trace.nodes.get(before),
    });
    // Once all spans have arrived, a failed trace opens at the failure that ended it.
    const first = (loaded ? trace.errors[0] : undefined) ?? trace.root;
    const wanted = this.#isChosen ? before : first?.span.id;
    if (wanted !== undefined && (wanted !== before || this.view.details === undefined)) this.#select(wanted);
    if (loaded) this.#isChosen = true;
  }
}

function rowsFor(trace: Trace, { folded, query, only_errors }: TracePanelState): readonly Row[] {
  return rowsOf(trace, { folded: new Set(folded), query, onlyErrors: only_errors });
}
