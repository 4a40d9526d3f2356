import type { Client } from '../../../src/client/client.ts';
import { eventually } from '../../support/wait.ts';
import type { View } from '../../support/workbench/view.ts';
import type { Workbench } from '../../support/workbench/workbench.ts';

export interface PlaceOptions {
  readonly workbench: Workbench;
  /** A client of the agent server that the views show, and of its platform. */
  readonly client: Client;
  /** A platform that does not announce changes: its views are refreshed by command. */
  readonly isRemote?: boolean;
}

/**
 * The place where the flows of the views run: the example's deployment, on this machine or on a remote
 * platform.
 */
export class Place {
  readonly workbench: Workbench;
  readonly client: Client;
  readonly assistants: View;
  readonly threads: View;
  readonly traces: View;
  readonly #isRemote: boolean;

  private constructor(
    { workbench, client, isRemote = false }: PlaceOptions,
    views: Pick<Place, 'assistants' | 'threads' | 'traces'>,
  ) {
    this.workbench = workbench;
    this.client = client;
    this.assistants = views.assistants;
    this.threads = views.threads;
    this.traces = views.traces;
    this.#isRemote = isRemote;
  }

  static async open(options: PlaceOptions): Promise<Place> {
    const { workbench } = options;
    const assistants = await workbench.view('Assistants');
    const threads = await workbench.view('Threads');
    return new Place(options, { assistants, threads, traces: await workbench.view('Traces') });
  }

  /** Runs the example on a new thread. @returns the ID of the thread */
  async ask(question: string, metadata: Record<string, unknown> = {}): Promise<string> {
    const { threads, runs } = this.client;
    const { thread_id } = await threads.create({ body: { metadata } });
    await runs.wait({
      params: { thread_id },
      body: { assistant_id: 'docs_agent', input: { messages: question }, metadata },
    });
    await this.look(this.threads);
    return thread_id;
  }

  /** Ensures that there are just two threads, of ada and bob, with a trace each. */
  async haveTwoConversations(): Promise<void> {
    for (const view of [this.threads, this.traces])
      if ((await view.message()) !== '') await view.titleAction('Clear Filter');
    const two = /^▾ Idle · 2\n {2}▸ What is a superstep\?[^\n]*\n {2}▸ What is a thread\?[^\n]*$/;
    const { runs } = await this.#traces();
    if (runs.length !== 2 || !two.test(await this.threads.text())) {
      await this.clear();
      await this.ask('What is a thread?', { user: 'ada', tier: 2 });
      await this.ask('What is a superstep?', { user: 'bob' });
      await this.threads.waitForText(/^▾ Idle · 2/);
    }
    await this.showsTraces(2);
  }

  /** How many traces of the example there are. */
  async traceCount(): Promise<number> {
    const { runs } = await this.#traces();
    return runs.length;
  }

  async #traces() {
    const { sessions, runs } = this.client.tracing;
    const session = (await sessions.list({ query: { name: 'docs-agent' } })).map(({ id }) => id);
    return session.length === 0 ? { runs: [] } : runs.query({ body: { session, is_root: true } });
  }

  /** Removes the threads and the project's traces, which an earlier attempt may have left. */
  async clear(): Promise<void> {
    const { threads, tracing } = this.client;
    for (const { thread_id = '' } of await threads.search({ body: { limit: 100 } }))
      await threads.delete({ params: { thread_id } });
    for (const { id } of await tracing.sessions.list({ query: { name: 'docs-agent' } }))
      await tracing.sessions.delete({ params: { session_id: id } });
    await this.look(this.threads);
    await this.look(this.traces);
  }

  /** Waits until as many traces are shown as there are. */
  async showsTraces(count: number): Promise<void> {
    const wanted = new RegExp(
      `^▾ docs-agent[^\\n]*(\\n {2}▸ [^\\n]* · docs_agent · [^\\n]*){${count}}(\\n▸ Datasets · \\d+)?$`,
    );
    await eventually(
      `${count} traces`,
      async () => {
        const text = await this.traces.text();
        // A trace may come a moment after its run.
        if (!wanted.test(text)) await this.look(this.traces);
        return text;
      },
      (text) => wanted.test(text),
      20_000,
    );
  }

  async answerBox(title: string | RegExp, text: string): Promise<void> {
    const { quickInput } = this.workbench;
    await quickInput.waitFor(title);
    await quickInput.type(text);
    await quickInput.accept();
  }

  /** Refreshes a view of a platform that does not announce changes. */
  async look(view: View): Promise<void> {
    if (this.#isRemote) await view.titleAction('Refresh');
  }
}
