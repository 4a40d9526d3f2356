import * as vscode from 'vscode';
import type { Connections } from './connections/connections.ts';
import type { Deployments } from './deployments/deployments.ts';

export const documentScheme = 'agent-harbor';

/**
 * States, traces and values as read-only JSON documents. The address of a state or a span says where it comes from, so
 * that its editor comes back after a reload; a value is only there as long as the window.
 */
export class JsonDocuments implements vscode.TextDocumentContentProvider {
  readonly #deployments: Deployments;
  readonly #connections: Connections;
  readonly #values = new Map<string, string>();

  constructor(deployments: Deployments, connections: Connections) {
    this.#deployments = deployments;
    this.#connections = connections;
  }

  /**
   * Shows a thread's state: the one at a checkpoint, or the newest.
   * @param deployment its key
   */
  showState(deployment: string, threadId: string, checkpointId?: string): Promise<void> {
    const name = `state ${(checkpointId ?? threadId).slice(-8)}`;
    return show('state', name, {
      deployment,
      thread: threadId,
      ...(checkpointId && { checkpoint: checkpointId }),
    });
  }

  /**
   * Shows the inputs and outputs of a run of a trace.
   * @param connection the id of the connection whose platform has the trace
   */
  showSpan(connection: string, name: string, runId: string): Promise<void> {
    return show('span', name, { connection, run: runId });
  }

  async showValue(title: string, value: unknown): Promise<void> {
    const id = String(this.#values.size + 1);
    this.#values.set(id, toJson(value));
    await show('value', title, { id });
  }

  /** Shows a text that is no JSON, at a line; the first is 0. */
  async showText(title: string, text: string, line: number): Promise<void> {
    const id = String(this.#values.size + 1);
    this.#values.set(id, text);
    await show('value', title, { id }, { extension: 'log', line });
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const query = new URLSearchParams(uri.query);
    switch (uri.authority) {
      case 'state':
        return toJson(await this.#state(query));
      case 'span':
        return toJson(await this.#span(query));
      default:
        return (
          this.#values.get(query.get('id') ?? '') ??
          vscode.l10n.t('This value was only kept while its window was open.')
        );
    }
  }

  async #state(query: URLSearchParams): Promise<unknown> {
    const { client } = await this.#deployments.open(query.get('deployment') ?? undefined);
    const thread_id = query.get('thread') ?? '';
    const checkpoint_id = query.get('checkpoint');
    if (checkpoint_id === null) return client.threads.getState({ params: { thread_id } });
    return client.threads.getStateAt({ params: { thread_id, checkpoint_id } });
  }

  async #span(query: URLSearchParams): Promise<unknown> {
    const runId = query.get('run') ?? '';
    const client = await this.#connections.existing(query.get('connection') ?? '').connect();
    const run = await client.tracing.runs.get({ params: { run_id: runId } });
    const { id, name, run_type, status, start_time, end_time, total_tokens, error, inputs, outputs, tags } =
      run;
    const head = { id, name, run_type, status, start_time, end_time, total_tokens };
    const feedback = await client.tracing.feedback.list({ query: { run: [runId] } }).catch(() => []);
    const given = feedback.map(({ key, score, value, comment }) => ({ key, score, value, comment }));
    return { ...head, error, inputs, outputs, tags, ...(given.length > 0 && { feedback: given }) };
  }
}

async function show(
  authority: string,
  name: string,
  query: Readonly<Record<string, string>>,
  { extension = 'json', line = 0 }: { readonly extension?: string; readonly line?: number } = {},
): Promise<void> {
  const uri = vscode.Uri.from({
    scheme: documentScheme,
    authority,
    path: `/${name.replaceAll('/', '∕')}.${extension}`,
    query: new URLSearchParams(query).toString(),
  });
  const document = await vscode.workspace.openTextDocument(uri);
  const selection = document.lineAt(Math.min(line, document.lineCount - 1)).range;
  await vscode.window.showTextDocument(document, { preview: true, ...(line > 0 && { selection }) });
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
