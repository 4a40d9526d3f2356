import type { JournalEntry } from '../../extension/panels/run/journal-entry.ts';
import type {
  ChosenFiles,
  RunOptions,
  RunPanelParams,
  RunPanelRequest,
  RunPanelResponses,
  RunPanelState,
} from '../../extension/panels/run/messages.ts';
import type { PanelKey } from '../../extension/panels/webview-rpc.ts';
import { fileBlock } from '../../terms/file-block.ts';
import { type Attachment, attachmentOf } from '../shared/attachment.ts';
import { textOfMenu } from '../shared/copy-menu.ts';
import { FrameQueue } from '../shared/frame-queue.ts';
import { PanelStore } from '../shared/panel-store.ts';
import type { PanelView } from './panel-view.ts';
import { firstProblem, readContext } from './read-context.ts';
import { play } from './transcript.ts';
import { emptyTranscript } from './transcript-model.ts';

/** The maximum number of events that are played per frame. */
const MAX_FRAME_EVENTS = 5_000;

/** The state of the run panel: the session, its transcript, and the input that is being written. */
export class RunPanelStore extends PanelStore<PanelView, RunPanelParams, RunPanelResponses, JournalEntry> {
  readonly #frames = new FrameQueue<JournalEntry>({
    show: (entries) => this.#show(entries),
    sizeOf: (entry) => (entry.type === 'stream' ? entry.events.length : 1),
    maxSize: MAX_FRAME_EVENTS,
  });

  /** @param saved the initial state of the page, used if the webview has stored none itself. */
  constructor(saved: RunPanelState, listen: () => void) {
    super(listen, (kept) => ({
      session: undefined,
      transcript: emptyTranscript,
      problem: undefined,
      editing: undefined,
      attached: [],
      contextRefusals: 0,
      saved: { ...saved, ...kept },
    }));
  }

  async open(): Promise<void> {
    const session = await this.ask('ready', {});
    if (session !== undefined) this.update({ session });
  }

  /** Opens the agent again, if it could not be opened before. */
  async reopen(): Promise<void> {
    if (this.view.session === undefined) await this.open();
  }

  /** Requests data in the background. @returns `undefined` after a failure, which is not shown */
  quietly<R extends RunPanelRequest>(
    request: R,
    params: RunPanelParams[R],
  ): Promise<RunPanelResponses[R] | undefined> {
    return this.request(request, params).catch(() => undefined);
  }

  /**
   * Starts, resumes or continues a run with the current options.
   * @param besides options that override the current ones
   * @returns whether the run was accepted
   */
  run(
    request: { readonly input: unknown } | { readonly resume: unknown } | 'proceed' | 'stepInto',
    besides: Partial<RunOptions> = {},
  ): Promise<boolean> {
    const context = readContext(this.view);
    if ('problems' in context) {
      this.save({ shows_options: true });
      this.update({
        problem: firstProblem(context.problems),
        contextRefusals: this.view.contextRefusals + 1,
      });
      return Promise.resolve(false);
    }
    const options = {
      ...this.view.saved.options,
      ...(context.value && { context: context.value }),
      ...besides,
    };
    if (request === 'proceed' || request === 'stepInto') return this.did(request, { options });
    return 'input' in request
      ? this.did('start', { ...request, options })
      : this.did('resume', { ...request, options });
  }

  /** Runs the graph from a checkpoint with the current code, as a new branch. */
  async runFrom(checkpoint_id: string): Promise<void> {
    if (await this.did('checkout', { checkpoint_id })) await this.run('proceed');
  }

  protected override receive(entries: readonly JournalEntry[]): void {
    this.#frames.add(entries);
  }

  #show(entries: readonly JournalEntry[]): void {
    const transcript = play(this.view.transcript, entries);
    this.update({ transcript });
    if (entries.some(({ type }) => type === 'session-changed')) void this.#readSession();
    if (transcript.threadId !== this.view.saved.target.thread_id) this.#rememberThread(transcript.threadId);
  }

  async #readSession(): Promise<void> {
    const session = await this.quietly('session', {});
    if (session === undefined) return;
    // JSON that the user typed while the panel offered nothing else stays JSON.
    const { mode, draft } = this.view.saved;
    if (mode === undefined && draft !== '' && this.view.session?.input === 'json')
      this.save({ mode: 'json' });
    this.update({ session });
  }

  protected override press(key: PanelKey): void {
    void this.#press(key);
  }

  /**
   * Carries out the action of a key: copies text, or continues a stopped thread. A single step stops before
   * the next node.
   */
  async #press(key: PanelKey): Promise<void> {
    if (key === 'copy') {
      const text = textOfMenu();
      if (text !== undefined) await this.ask('copy', { text });
      return;
    }
    const { transcript, session, editing } = this.view;
    const isStopped = transcript.rows.some((row) => row.kind === 'stopped' && row.isOpen);
    if (!isStopped || editing !== undefined) return;
    const nodes = session?.diagram?.nodes.filter(({ kind }) => kind === 'node').map(({ name }) => name) ?? [];
    await this.run('proceed', key === 'step' ? { interrupt_before: nodes, breakpoints: [] } : {});
  }

  /** Lets the user choose another assistant. Its input may have another form, so the draft is cleared. */
  async chooseAssistant(): Promise<void> {
    const session = await this.ask('chooseAssistant', {});
    if (session === undefined) return;
    const { target, options } = this.view.saved;
    const nodes = new Set(session.diagram?.nodes.map(({ name }) => name));
    const known = (list: readonly string[]) => list.filter((node) => nodes.has(node));
    this.update({ session });
    const { mode: _, form: __, context: ___, ...kept } = this.view.saved;
    this.#keep({
      ...kept,
      draft: '',
      target: { ...target, assistant_id: session.assistant_id },
      options: {
        ...options,
        interrupt_before: known(options.interrupt_before),
        interrupt_after: known(options.interrupt_after),
        breakpoints: options.breakpoints?.filter(({ node }) => nodes.has(node)),
      },
    });
  }

  /** Opens the state of a checkpoint for editing; by default the one that is shown. */
  editState(checkpointId?: string): void {
    this.update({ editing: { checkpointId } });
  }

  closeEditor(): void {
    this.update({ editing: undefined });
  }

  /** Shows the thread before a message, with the message ready to be edited and sent again. */
  async resend(messageId: string, text: string, files: readonly Attachment[]): Promise<void> {
    if (!(await this.did('checkoutBefore', { message_id: messageId }))) return;
    this.save({ mode: 'chat', draft: text });
    this.update({ attached: files });
  }

  /** Adds files to the message that is being written, and shows why others are not added. */
  attach({ files, problems }: ChosenFiles): void {
    const added = files.flatMap((file) => attachmentOf(fileBlock({ ...file, base64: file.data })) ?? []);
    this.update({ attached: [...this.view.attached, ...added] });
    this.report(problems.length === 0 ? undefined : problems.join(' '));
  }

  /** Removes files from the message that is being written. */
  detach(files: readonly Attachment[]): void {
    this.update({ attached: this.view.attached.filter((file) => !files.includes(file)) });
  }

  save(change: Partial<RunPanelState>): void {
    this.#keep({ ...this.view.saved, ...change });
  }

  #keep(saved: RunPanelState): void {
    this.update({ saved });
  }

  #rememberThread(threadId: string | undefined): void {
    const { deployment, assistant_id } = this.view.saved.target;
    this.save({
      target: { deployment, assistant_id, ...(threadId === undefined ? {} : { thread_id: threadId }) },
    });
  }
}
