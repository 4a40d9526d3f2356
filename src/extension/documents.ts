import * as vscode from 'vscode';
import type { Connections } from './connections/connections.ts';
import type { Deployments } from './deployments/deployments.ts';
import type { OpenDeployment } from './deployments/open-deployment.ts';
import {
  EXAMPLE_SCHEMA_AUTHORITY,
  exampleSchemaAddressOf,
  exampleSchemaUrl,
} from './examples/example-schema-address.ts';
import { toDiagram } from './panels/run/diagram.ts';

export const DOCUMENT_SCHEME = 'agent-harbor';

/**
 * States, traces and values as read-only documents. The address of a state or a span says where it comes from, so
 * that its editor comes back after a reload; a value is only there as long as the window.
 */
export class JsonDocuments implements vscode.TextDocumentContentProvider {
  readonly #deployments: Deployments;
  readonly #connections: Connections;
  readonly #values = new Map<string, string>();
  /** Deployments by their names, as the addresses of schemas have them. */
  readonly #deploymentNames = new Map<string, string>();

  constructor(deployments: Deployments, connections: Connections) {
    this.#deployments = deployments;
    this.#connections = connections;
  }

  /**
   * Shows a thread's state: the one at a checkpoint, or the newest.
   * @param deployment its key
   */
  showState(deployment: string, threadId: string, checkpointId?: string): Promise<void> {
    return show(stateUri({ deployment, threadId, checkpointId }));
  }

  /** Shows what differs between two states in the diff editor. */
  async compareStates(before: StateAddress, after: StateAddress, title: string): Promise<void> {
    // Only the values: nearly everything else of a state always differs (IDs, times, tasks).
    const values = (address: StateAddress) => stateUri(address, { only: 'values' });
    await vscode.commands.executeCommand('vscode.diff', values(before), values(after), title);
  }

  /**
   * Shows two traces of a platform in the diff editor, without what differs in all of them.
   * @param connection the id of the connection whose platform has them
   */
  async compareTraces(connection: string, traces: readonly [string, string], title: string): Promise<void> {
    const [left, right] = traces.map((trace) => documentUri('trace', title, { connection, trace }, 'yaml'));
    await vscode.commands.executeCommand('vscode.diff', left, right, title);
  }

  /** Shows what differs between two values in the diff editor. */
  async compareValues(title: string, before: unknown, after: unknown): Promise<void> {
    const [left, right] = [before, after].map((value) => this.#valueUri(title, toJson(value ?? null)));
    await vscode.commands.executeCommand('vscode.diff', left, right, title);
  }

  /** Where the schema of the documents of a graph's assistants is. People see it, so it says no more than it must. */
  schemaUrl({ key, name }: OpenDeployment, graphId: string): string {
    this.#deploymentNames.set(segment(name), key);
    return `${DOCUMENT_SCHEME}://${SCHEMA_AUTHORITY}/${segment(name)}/${segment(graphId)}.json`;
  }

  /** Where the schema of the documents of the states of a graph's threads is. */
  stateSchemaUrl({ key, name }: OpenDeployment, graphId: string): string {
    this.#deploymentNames.set(segment(name), key);
    return `${DOCUMENT_SCHEME}://${STATE_SCHEMA_AUTHORITY}/${segment(name)}/${segment(graphId)}.json`;
  }

  /** Shows a version of an assistant, which can no longer be changed. */
  showVersion(deployment: string, assistantId: string, name: string, version: number): Promise<void> {
    const query = { deployment, assistant: assistantId, version: String(version) };
    return show(documentUri('version', `${name} v${version}`, query));
  }

  /**
   * Shows the inputs and outputs of a run of a trace.
   * @param connection the id of the connection whose platform has the trace
   */
  showSpan(connection: string, name: string, runId: string): Promise<void> {
    return show(documentUri('span', name, { connection, run: runId }));
  }

  async showValue(title: string, value: unknown): Promise<void> {
    await show(this.#valueUri(title, toJson(value)));
  }

  #valueUri(title: string, text: string): vscode.Uri {
    const id = String(this.#values.size + 1);
    this.#values.set(id, text);
    return documentUri('value', title, { id });
  }

  /** Shows a text that is not JSON, at a line; the first is 0. */
  async showText(title: string, text: string, line: number): Promise<vscode.Uri> {
    const id = String(this.#values.size + 1);
    this.#values.set(id, text);
    const uri = documentUri('value', title, { id }, 'log');
    await show(uri, line);
    return uri;
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const query = new URLSearchParams(uri.query);
    switch (uri.authority) {
      case 'state':
        return toJson(await this.#readState(query));
      case 'span':
        return toJson(await this.#readSpan(query));
      case 'trace': {
        const { readTraceText } = await import('./traces/trace-text.ts');
        const client = await this.#connections.require(query.get('connection') ?? '').connect();
        return readTraceText(client, query.get('trace') ?? '');
      }
      case 'version':
        return toJson(await this.#readVersion(query));
      case EXAMPLE_SCHEMA_AUTHORITY:
        return toJson(await this.#readExampleSchema(uri));
      case SCHEMA_AUTHORITY:
      case STATE_SCHEMA_AUTHORITY:
        return toJson(await this.#readSchema(uri));
      default:
        return (
          this.#values.get(query.get('id') ?? '') ??
          vscode.l10n.t('This value is not available after the window has been reloaded. Open it again.')
        );
    }
  }

  async #readState(query: URLSearchParams): Promise<unknown> {
    const { client } = await this.#deployments.open(query.get('deployment') ?? undefined);
    const thread_id = query.get('thread') ?? '';
    const checkpoint_id = query.get('checkpoint');
    const state = await (checkpoint_id === null
      ? client.threads.getState({ params: { thread_id } })
      : client.threads.getStateAt({ params: { thread_id, checkpoint_id } }));
    return query.get('only') === 'values' ? { values: state.values, next: state.next } : state;
  }

  async #readVersion(query: URLSearchParams): Promise<unknown> {
    const { client } = await this.#deployments.open(query.get('deployment') ?? undefined);
    const assistant_id = query.get('assistant') ?? '';
    const versions = await client.assistants.versions({ params: { assistant_id }, body: { limit: 1000 } });
    return versions.find(({ version }) => String(version) === query.get('version'));
  }

  async #readSchema(uri: vscode.Uri): Promise<unknown> {
    const [, deployment = '', file = ''] = uri.path.split('/');
    // After a restart of the window it may not be known yet: then it is most likely the current one.
    const { client } = await this.#deployments.open(this.#deploymentNames.get(deployment));
    const assistant_id = file.replace(/\.json$/, '');
    const params = { assistant_id };
    const schemas = await client.assistants.schemas({ params });
    if (uri.authority === SCHEMA_AUTHORITY) {
      const { documentSchema } = await import('./assistants/assistant-schema.ts');
      return documentSchema(schemas);
    }
    const { stateDocumentSchema } = await import('./states/state-schema.ts');
    // Not every graph can be drawn; then its nodes are not known.
    const diagram = await client.assistants.graph({ params }).catch(() => undefined);
    const nodes = diagram === undefined ? [] : toDiagram(diagram).nodes;
    return stateDocumentSchema(
      schemas,
      nodes.flatMap(({ kind, name }) => (kind === 'node' ? [name] : [])),
    );
  }

  async #readExampleSchema(uri: vscode.Uri): Promise<unknown> {
    const { exampleDocumentSchema, definitionOf } = await import('./examples/example-schema.ts');
    const { connection, datasetId, side } = exampleSchemaAddressOf(uri);
    const client = await this.#connections.require(connection).connect();
    const dataset = await client.datasets.get({ params: { dataset_id: datasetId } });
    if (side !== undefined) return definitionOf(dataset, side) ?? {};
    return exampleDocumentSchema(dataset, (part) => exampleSchemaUrl({ connection, datasetId, side: part }));
  }

  async #readSpan(query: URLSearchParams): Promise<unknown> {
    const runId = query.get('run') ?? '';
    const client = await this.#connections.require(query.get('connection') ?? '').connect();
    const run = await client.tracing.runs.get({ params: { run_id: runId } });
    const { id, name, run_type, status, start_time, end_time, total_tokens, error, inputs, outputs, tags } =
      run;
    const head = { id, name, run_type, status, start_time, end_time, total_tokens };
    const feedback = await client.tracing.feedback.list({ query: { run: [runId] } }).catch(() => []);
    const given = feedback.map(({ key, score, value, comment }) => ({ key, score, value, comment }));
    return { ...head, error, inputs, outputs, tags, ...(given.length > 0 && { feedback: given }) };
  }
}

/** A thread's state at a checkpoint; if that is absent, its newest state. */
export interface StateAddress {
  /** The key of its deployment. */
  readonly deployment: string;
  readonly threadId: string;
  readonly checkpointId?: string | undefined;
}

const SCHEMA_AUTHORITY = 'schema';
const STATE_SCHEMA_AUTHORITY = 'state-schema';

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

/**
 * A name as a part of a path, where a slash would begin another. It may have come from a model: without control
 * characters, broken ones, and those that turn the direction of writing.
 */
export function segment(name: string): string {
  const plain = name.toWellFormed().replace(/[\p{Cc}\p{Cf}]/gu, '');
  return [...plain.replaceAll('/', '∕').replaceAll('\\', '∖')].slice(0, 120).join('') || 'value';
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
