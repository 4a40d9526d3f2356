import * as vscode from 'vscode';
import type { OpenDeployment } from '../deployments/open-deployment.ts';
import { segment, urlSegment } from './address-segments.ts';

export const DOCUMENT_SCHEME = 'agent-harbor';

/** The authorities of document addresses: they say what a document shows. */
export const SCHEMA_AUTHORITY = 'schema';
export const STATE_SCHEMA_AUTHORITY = 'state-schema';
const VALUE_AUTHORITY = 'value';

/**
 * Reads what a read-only document shows, from the server that its address names.
 * @param deploymentKey returns the key of the deployment that a schema's address names; undefined if it is
 *   unknown, as after a restart of the window: then the current deployment is most likely meant
 */
type ReadDocument = (uri: vscode.Uri, deploymentKey: (name: string) => string | undefined) => Promise<string>;

/**
 * States, versions, traces, spans, values and schemas as read-only documents. The address of a state or a span says where it comes
 * from, so that its editor is restored after a reload; a value lasts only as long as the window.
 */
export class ReadOnlyDocuments implements vscode.TextDocumentContentProvider {
  readonly #read: ReadDocument;
  readonly #values = new Map<string, string>();
  /** The key of each deployment, by its name in the addresses of schemas. */
  readonly #deploymentKeys = new Map<string, string>();

  constructor(read: ReadDocument) {
    this.#read = read;
  }

  /** Shows a thread's state. */
  showState(address: StateAddress): Promise<void> {
    return show(stateUri(address));
  }

  /** Shows the differences between two states in the diff editor. */
  async compareStates(before: StateAddress, after: StateAddress, title: string): Promise<void> {
    // Only the values and the next nodes: nearly everything else in a state always differs (IDs, times,
    // tasks).
    const values = (address: StateAddress) => stateUri(address, { only: 'values' });
    await vscode.commands.executeCommand('vscode.diff', values(before), values(after), title);
  }

  /**
   * Shows two traces of a platform in the diff editor, without the fields that always differ.
   * @param connection the ID of the connection whose platform has them
   */
  async compareTraces(connection: string, traces: readonly [string, string], title: string): Promise<void> {
    const [left, right] = traces.map((trace) => documentUri('trace', title, { connection, trace }, 'yaml'));
    await vscode.commands.executeCommand('vscode.diff', left, right, title);
  }

  /** Shows the differences between two values in the diff editor. */
  async compareValues(title: string, before: unknown, after: unknown): Promise<void> {
    const [left, right] = [before, after].map((value) => this.#keepText(title, toJson(value ?? null)));
    await vscode.commands.executeCommand('vscode.diff', left, right, title);
  }

  /**
   * The address of the schema for documents of a graph's assistants. Users see the address, so it is short.
   */
  schemaUrl(opened: OpenDeployment, graphId: string): string {
    return this.#schemaUrl(SCHEMA_AUTHORITY, opened, graphId);
  }

  /** The address of the schema for documents of a graph's states. */
  stateSchemaUrl(opened: OpenDeployment, graphId: string): string {
    return this.#schemaUrl(STATE_SCHEMA_AUTHORITY, opened, graphId);
  }

  /** Shows a version of an assistant; versions cannot be changed. */
  showVersion({ deployment, assistant, name, version }: VersionAddress): Promise<void> {
    const query = { deployment, assistant, version: String(version) };
    return show(documentUri('version', `${name} v${version}`, query));
  }

  /**
   * Shows the inputs, outputs and feedback of a span.
   * @param span its ID, and the ID of the connection whose platform has the trace
   */
  showSpan(name: string, span: { readonly connection: string; readonly run: string }): Promise<void> {
    return show(documentUri('span', name, span));
  }

  async showValue(title: string, value: unknown): Promise<void> {
    await show(this.#keepText(title, toJson(value)));
  }

  /** Shows a text that is not JSON, at a line; the first is 0. */
  async showText(title: string, text: string, line: number): Promise<vscode.Uri> {
    const uri = this.#keepText(title, text, 'log');
    await show(uri, line);
    return uri;
  }

  /** The address of a schema, whose deployment is found again by its name. */
  #schemaUrl(authority: string, { key, name }: OpenDeployment, graphId: string): string {
    this.#deploymentKeys.set(segment(name), key);
    return `${DOCUMENT_SCHEME}://${authority}/${urlSegment(name)}/${urlSegment(graphId)}.json`;
  }

  /** Keeps a text under a new address. */
  #keepText(title: string, text: string, extension?: string): vscode.Uri {
    const id = String(this.#values.size + 1);
    this.#values.set(id, text);
    return documentUri(VALUE_AUTHORITY, title, { id }, extension);
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    if (uri.authority === VALUE_AUTHORITY)
      return (
        this.#values.get(new URLSearchParams(uri.query).get('id') ?? '') ??
        vscode.l10n.t('This value is not available after the window has been reloaded. Open it again.')
      );
    return this.#read(uri, (name) => this.#deploymentKeys.get(name));
  }
}

/** A thread's state at a checkpoint; if that is absent, its newest state. */
export interface StateAddress {
  /** The key of its deployment. */
  readonly deployment: string;
  readonly threadId: string;
  readonly checkpointId?: string | undefined;
}

/** A version of an assistant. */
interface VersionAddress {
  /** The key of its deployment. */
  readonly deployment: string;
  /** The ID of the assistant. */
  readonly assistant: string;
  /** The name of the assistant, for the title. */
  readonly name: string;
  readonly version: number;
}

function stateUri(
  { deployment, threadId, checkpointId }: StateAddress,
  besides: Readonly<Record<string, string>> = {},
): vscode.Uri {
  return documentUri('state', `state ${(checkpointId ?? threadId).slice(-8)}`, {
    deployment,
    thread: threadId,
    ...(checkpointId && { checkpoint: checkpointId }),
    ...besides,
  });
}

function documentUri(
  authority: string,
  name: string,
  query: Readonly<Record<string, string>>,
  extension = 'json',
): vscode.Uri {
  return vscode.Uri.from({
    scheme: DOCUMENT_SCHEME,
    authority,
    path: `/${segment(name)}.${extension}`,
    query: new URLSearchParams(query).toString(),
  });
}

async function show(uri: vscode.Uri, line = 0): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  const selection = document.lineAt(Math.min(line, document.lineCount - 1)).range;
  await vscode.window.showTextDocument(document, { preview: true, ...(line > 0 && { selection }) });
}

/** A value as the text of a document. */
export function toJson(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
