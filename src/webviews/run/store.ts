import type {
  JournalEntry,
  RunPanelParams,
  RunPanelRequest,
  RunPanelResponses,
  RunPanelState,
  Session,
} from '../../extension/panels/run/messages.ts';
import { Host } from '../shared/host.ts';
import { play } from './transcript.ts';
import { emptyTranscript, type Transcript } from './transcript-model.ts';

export interface PanelView {
  readonly session: Session | undefined;
  readonly transcript: Transcript;
  /** What the host could not do, in words. */
  readonly problem: string | undefined;
  readonly saved: RunPanelState;
}

/** What the panel knows, and what it can ask for. Changes are told to one listener. */
export class RunPanelStore {
  readonly #host: Host<RunPanelParams, RunPanelResponses, JournalEntry>;
  readonly #listen: (view: PanelView) => void;
  #view: PanelView;

  /** @param saved what the page came with, used when the webview has kept nothing itself. */
  constructor(saved: RunPanelState, listen: (view: PanelView) => void) {
    this.#listen = listen;
    this.#host = new Host((entries) => {
      const transcript = play(this.#view.transcript, entries);
      this.#update({ transcript });
      if (transcript.threadId !== this.#view.saved.target.thread_id)
        this.#rememberThread(transcript.threadId);
    });
    const kept = this.#host.state;
    this.#view = {
      session: undefined,
      transcript: emptyTranscript,
      problem: undefined,
      // Only this page writes it.
      saved: kept === undefined ? saved : (kept as RunPanelState),
    };
    this.save({});
  }

  get view(): PanelView {
    return this.#view;
  }

  async open(): Promise<void> {
    const session = await this.ask('ready', {});
    if (session !== undefined) this.#update({ session });
  }

  /** Asks the host for something; a failure shows as the panel's problem, and gives `undefined`. */
  async ask<R extends RunPanelRequest>(
    request: R,
    params: RunPanelParams[R],
  ): Promise<RunPanelResponses[R] | undefined> {
    this.#update({ problem: undefined });
    try {
      return await this.#host.request(request, params);
    } catch (error) {
      this.#update({ problem: error instanceof Error ? error.message : String(error) });
      return undefined;
    }
  }

  /** The same, for those who need to know whether it worked. */
  async did<R extends RunPanelRequest>(request: R, params: RunPanelParams[R]): Promise<boolean> {
    await this.ask(request, params);
    return this.#view.problem === undefined;
  }

  dismissProblem(): void {
    this.#update({ problem: undefined });
  }

  save(change: Partial<RunPanelState>): void {
    const saved = { ...this.#view.saved, ...change };
    this.#host.state = saved;
    this.#update({ saved });
  }

  #rememberThread(threadId: string | undefined): void {
    const { deployment, assistant_id } = this.#view.saved.target;
    this.save({
      target: { deployment, assistant_id, ...(threadId === undefined ? {} : { thread_id: threadId }) },
    });
  }

  #update(change: Partial<PanelView>): void {
    this.#view = { ...this.#view, ...change };
    this.#listen(this.#view);
  }
}
