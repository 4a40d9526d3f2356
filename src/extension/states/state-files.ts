import * as vscode from 'vscode';
import { z } from 'zod';
import type { ThreadState } from '../../contract/agent-server/threads.ts';
import { ValidationIssue } from '../../contract/errors.ts';
import { millisecondsOf } from '../../terms/times.ts';
import type { Deployments } from '../deployments/deployments.ts';
import { sentenceOf } from '../dialogs/errors.ts';
import type { DraftStore, Newest } from '../documents/document-texts.ts';
import { DraftedFiles } from '../documents/drafted-files.ts';
import type { DocumentProblem } from '../documents/json-document.ts';
import type { ReadOnlyDocuments } from '../documents/read-only-documents.ts';
import { changedValues } from './changed-values.ts';
import { checkpointIdOf } from './checkpoint-ids.ts';
import { STATE_SCHEME, stateAddressOf } from './state-address.ts';
import { readStateAt } from './state-at.ts';
import { parseState, placeOf, stateText } from './state-document.ts';

interface StateFilesParts {
  readonly deployments: Pick<Deployments, 'open'>;
  readonly documents: Pick<ReadOnlyDocuments, 'stateSchemaUrl'>;
  readonly drafts: DraftStore;
}

/** States of threads as JSON documents: saving one writes its changes as a new checkpoint. */
export class StateFiles extends DraftedFiles<ThreadState> implements vscode.Disposable {
  readonly #parts: StateFilesParts;
  /** The last checkpoint that saving has written, by document. The document continues from it. */
  readonly #written = new Map<string, string>();
  readonly #problems = vscode.languages.createDiagnosticCollection('agent-harbor-states');
  readonly #subscriptions: vscode.Disposable;

  constructor(parts: StateFilesParts) {
    super(parts.drafts);
    this.#parts = parts;
    this.#subscriptions = vscode.Disposable.from(
      this.#problems,
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (document.uri.scheme === STATE_SCHEME && contentChanges.length > 0)
          this.#problems.delete(document.uri);
      }),
    );
  }

  /**
   * Writes the changes as a new checkpoint.
   * @throws FileSystemError with a sentence; the problem is marked in the document too.
   */
  async write(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const text = Buffer.from(content).toString();
    const parsed = parseState(text);
    if ('problem' in parsed) throw this.#refuse(uri, text, [parsed.problem]);
    const { as_node, values } = parsed.fields;
    const state = await this.refresh(uri);
    const changed = changedValues(state.values, values);
    if (Object.keys(changed).length === 0) {
      this.#problems.delete(uri);
      this.drafts.noteSaved(uri.toString(), newestOf(state), text);
      return;
    }
    const { client, address } = await this.#open(uri);
    let newId: string | undefined;
    try {
      const written = await client.threads.updateState({
        params: { thread_id: address.threadId },
        body: {
          values: changed,
          ...(as_node !== null && { as_node }),
          ...(address.checkpointId !== undefined && {
            checkpoint: {
              thread_id: address.threadId,
              checkpoint_ns: '',
              checkpoint_id: address.checkpointId,
            },
          }),
        },
      });
      const { checkpoint_id } = written.checkpoint;
      if (typeof checkpoint_id === 'string') newId = checkpoint_id;
      if (address.checkpointId !== undefined && newId !== undefined) this.#written.set(uri.toString(), newId);
    } catch (error) {
      throw this.#refuse(uri, text, problemsOf(error));
    }
    this.#problems.delete(uri);
    // The changes are saved. Reporting a failure here would make the user save them again.
    const after = await this.#open(uri)
      .then((saved) => readStateAt(client, address.threadId, saved.address.checkpointId))
      .catch(() => undefined);
    if (after === undefined) {
      const saved = { ...state, values, checkpoint: { ...state.checkpoint, checkpoint_id: newId } };
      this.drafts.noteSaved(uri.toString(), newestOf(saved), text);
      return;
    }
    const storedText = stateText(after.values, parsed.fields.$schema);
    this.drafts.noteSaved(uri.toString(), newestOf(after), text, storedText);
  }

  /** Shows what the reducers made of the saved values. */
  async showSaved(uri: vscode.Uri): Promise<boolean> {
    return this.drafts.showSaved(uri.toString());
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  /** Opens the deployment of a document, and finds the checkpoint from which the document continues. */
  async #open(uri: vscode.Uri) {
    const given = stateAddressOf(uri);
    const checkpointId = this.#written.get(uri.toString()) ?? given.checkpointId;
    const opened = await this.#parts.deployments.open(given.deployment);
    return { opened, client: opened.client, address: { ...given, checkpointId } };
  }

  protected async refresh(uri: vscode.Uri): Promise<ThreadState> {
    const known = this.drafts.resource(uri.toString());
    const { opened, client, address } = await this.#open(uri);
    // A checkpoint never changes.
    if (known !== undefined && address.checkpointId !== undefined) return known;
    const state = await readStateAt(client, address.threadId, address.checkpointId);
    await this.drafts.note(uri.toString(), newestOf(state), async () => {
      const { metadata } = await client.threads.get({ params: { thread_id: address.threadId } });
      const graphId = metadata?.graph_id;
      const isNamed = typeof graphId === 'string';
      return stateText(
        state.values,
        isNamed ? this.#parts.documents.stateSchemaUrl(opened, graphId) : undefined,
      );
    });
    return state;
  }

  /** Marks the problems in the open document. @returns the error for VS Code */
  #refuse(uri: vscode.Uri, text: string, problems: readonly DocumentProblem[]): vscode.FileSystemError {
    const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());
    if (document !== undefined) {
      const diagnostics = problems.map(({ sentence, path }) => {
        const { offset, length } = placeOf(text, path);
        const range = new vscode.Range(document.positionAt(offset), document.positionAt(offset + length));
        return Object.assign(new vscode.Diagnostic(range, sentence), { source: 'Agent Harbor' });
      });
      this.#problems.set(uri, diagnostics);
    }
    return new vscode.FileSystemError(problems.map(({ sentence }) => sentence).join(' '));
  }
}

function newestOf(state: ThreadState): Newest<ThreadState> {
  return { resource: state, version: checkpointIdOf(state) ?? '', changed: millisecondsOf(state.created_at) };
}

const InvalidUpdate = z.object({ detail: z.array(ValidationIssue) }).transform(({ detail }) => detail);

/**
 * The problems that a server reported. A problem without a path is shown at `as_node`, its most likely cause.
 */
function problemsOf(error: unknown): DocumentProblem[] {
  const { data: issues = [] } = InvalidUpdate.safeParse(error);
  if (issues.length === 0) return [{ sentence: sentenceOf(error), path: ['as_node'] }];
  return issues.map(({ loc, msg }) => ({ sentence: msg, path: loc[0] === 'body' ? loc.slice(1) : loc }));
}
