import * as vscode from 'vscode';
import { placeOf } from '../../deployments/deployment-key.ts';
import type { Deployments } from '../../deployments/deployments.ts';
import type { JsonDocuments } from '../../documents.ts';
import type { ErrorReporter } from '../../errors.ts';
import { WebviewHost } from '../webview-host.ts';
import { FeedbackLinks } from './feedback-links.ts';
import { Journal } from './journal.ts';
import { type JournalEntry, type RunPanelState, runPanelRequests, type Session } from './messages.ts';
import { RunSession } from './run-session.ts';

export interface RunPanelParts {
  readonly extensionUri: vscode.Uri;
  readonly deployments: Deployments;
  readonly documents: JsonDocuments;
  readonly errors: ErrorReporter;
}

/** The run panel: an assistant, a thread, and what its runs stream. */
export class RunPanel {
  readonly #panel: vscode.WebviewPanel;
  readonly #parts: RunPanelParts;
  readonly #state: RunPanelState;
  readonly #journal = new Journal();
  readonly #feedback: FeedbackLinks;
  readonly #session: RunSession;
  readonly #host: WebviewHost<JournalEntry, typeof runPanelRequests>;

  constructor(panel: vscode.WebviewPanel, state: RunPanelState, parts: RunPanelParts) {
    this.#panel = panel;
    this.#state = state;
    this.#parts = parts;
    this.#feedback = new FeedbackLinks(async () => (await this.#open()).client);
    this.#session = new RunSession({
      assistantId: state.target.assistant_id,
      threadId: state.target.thread_id,
      journal: this.#journal,
      feedback: this.#feedback,
      feedbackKeys: () => this.#feedbackKeys(),
      deployment: async () => {
        const { client, name } = await this.#open();
        return { client, name };
      },
      onError: (error) => parts.errors.log(error, 'run panel, follow the run'),
    });
    const icon = (theme: string) => vscode.Uri.joinPath(parts.extensionUri, 'media', `panel-${theme}.svg`);
    panel.iconPath = { light: icon('light'), dark: icon('dark') };
    panel.onDidDispose(() => this.#session.dispose());
    this.#host = new WebviewHost({
      panel,
      extensionUri: parts.extensionUri,
      bundle: 'run',
      data: { state: JSON.stringify(state) },
      schemas: runPanelRequests,
      errors: parts.errors,
      handlers: {
        ready: () => this.#ready(),
        start: ({ input }) => this.#session.start({ input }),
        resume: ({ resume }) => this.#session.start({ resume }),
        cancel: () => this.#session.cancel(),
        newThread: () => this.#session.newThread(),
        feedback: async ({ run_id, key, ...feedback }) => {
          await this.#feedback.give(run_id, key, defined(feedback));
          this.#journal.add({ type: 'feedback-given', run_id, key, ...feedback });
        },
        showTrace: async ({ run_id }) => {
          await vscode.commands.executeCommand('agentHarbor.showTrace', run_id, this.deployment);
        },
        openState: () => this.#openState(),
        showLog: async () => {
          await vscode.commands.executeCommand('agentHarbor.showLog');
        },
        openJson: ({ title, value }) => parts.documents.showValue(title, value),
      },
    });
  }

  get threadId(): string | undefined {
    return this.#session.threadId;
  }

  get deployment(): string {
    return this.#state.target.deployment;
  }

  get assistantId(): string {
    return this.#state.target.assistant_id;
  }

  reveal(): void {
    this.#panel.reveal();
  }

  async #ready(): Promise<Session> {
    const session = await this.#session.open();
    this.#panel.title = session.assistant;
    this.#journal.play((entries) => this.#host.send(entries));
    return session;
  }

  async #openState(): Promise<void> {
    const { threadId } = this.#session;
    if (threadId !== undefined) await this.#parts.documents.showState(this.deployment, threadId);
  }

  #open() {
    return this.#parts.deployments.open(this.deployment);
  }

  #feedbackKeys(): readonly string[] {
    const place = placeOf(this.deployment);
    const uri = place.in === 'workspace' ? vscode.Uri.file(place.configPath) : undefined;
    return vscode.workspace.getConfiguration('agentHarbor', uri).get<string[]>('feedbackKeys', []);
  }
}

function defined({ score, comment }: { score?: number | undefined; comment?: string | undefined }) {
  return { ...(score === undefined ? {} : { score }), ...(comment === undefined ? {} : { comment }) };
}
