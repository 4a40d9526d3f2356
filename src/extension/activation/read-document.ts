import * as vscode from 'vscode';
import type { Assistant } from '../../contract/agent-server/assistants.ts';
import type { Connections } from '../connections/connections.ts';
import {
  EXAMPLE_SCHEMA_AUTHORITY,
  exampleSchemaAddressOf,
  exampleSchemaUrl,
} from '../datasets/example-schema-address.ts';
import type { Deployments } from '../deployments/deployments.ts';
import { SCHEMA_AUTHORITY, STATE_SCHEMA_AUTHORITY, toJson } from '../documents/read-only-documents.ts';
import { toDiagram } from '../graphs/diagram.ts';
import { readStateAt } from '../states/state-at.ts';

interface DocumentSources {
  readonly deployments: Pick<Deployments, 'open'>;
  readonly connections: Pick<Connections, 'require'>;
  /** Returns the key of the deployment that a schema's address names; undefined if the key is unknown. */
  readonly deploymentKey: (name: string) => string | undefined;
}

/**
 * Reads what a read-only document shows, from the server that its address names.
 * @throws the server's error; Error if there is no document at the address
 */
export async function readDocument(uri: vscode.Uri, sources: DocumentSources): Promise<string> {
  const query = new URLSearchParams(uri.query);
  switch (uri.authority) {
    case 'state':
      return toJson(await readState(query, sources));
    case 'span':
      return toJson(await readSpan(query, sources));
    case 'trace': {
      const { readTraceText } = await import('../traces/trace-text.ts');
      const client = await sources.connections.require(query.get('connection') ?? '').connect();
      return readTraceText(client, query.get('trace') ?? '');
    }
    case 'revision': {
      const { readRevisionFile } = await import('../documents/revision-file.ts');
      const client = await sources.connections.require(query.get('connection') ?? '').connect();
      return readRevisionFile(client, query);
    }
    case 'version':
      return toJson(await readVersion(query, sources));
    case EXAMPLE_SCHEMA_AUTHORITY:
      return toJson(await readExampleSchema(uri, sources));
    case SCHEMA_AUTHORITY:
    case STATE_SCHEMA_AUTHORITY:
      return toJson(await readSchema(uri, sources));
    default:
      throw new Error(`No document has the address ${uri.toString()}.`);
  }
}

async function readState(query: URLSearchParams, { deployments }: DocumentSources): Promise<unknown> {
  const { client } = await deployments.open(query.get('deployment') ?? undefined);
  const state = await readStateAt(client, query.get('thread') ?? '', query.get('checkpoint') ?? undefined);
  return query.get('only') === 'values' ? { values: state.values, next: state.next } : state;
}

async function readVersion(query: URLSearchParams, { deployments }: DocumentSources): Promise<unknown> {
  const { client } = await deployments.open(query.get('deployment') ?? undefined);
  const assistant_id = query.get('assistant') ?? '';
  const wanted = query.get('version');
  const { eachPage } = await import('../../client/each-page.ts');
  const pages = eachPage({ idOf: ({ version }: Assistant) => String(version), pageSize: 1000 }, (body) =>
    client.assistants.versions({ params: { assistant_id }, body }),
  );
  for await (const page of pages) {
    const found = page.find(({ version }) => String(version) === wanted);
    if (found !== undefined) return found;
  }
  throw new Error(vscode.l10n.t('The assistant has no version {0}.', wanted ?? ''));
}

async function readSchema(
  uri: vscode.Uri,
  { deployments, deploymentKey }: DocumentSources,
): Promise<unknown> {
  const [, deployment = '', file = ''] = uri.path.split('/');
  const { client } = await deployments.open(deploymentKey(deployment));
  const assistant_id = file.replace(/\.json$/, '');
  const params = { assistant_id };
  const schemas = await client.assistants.schemas({ params });
  if (uri.authority === SCHEMA_AUTHORITY) {
    const { documentSchema } = await import('../assistants/assistant-schema.ts');
    return documentSchema(schemas);
  }
  const { stateDocumentSchema } = await import('../states/state-schema.ts');
  // If the graph cannot be drawn, its nodes are unknown.
  const diagram = await client.assistants.graph({ params }).catch(() => undefined);
  return stateDocumentSchema(schemas, diagram === undefined ? undefined : nodeNames(diagram));
}

function nodeNames(diagram: Parameters<typeof toDiagram>[0]): string[] {
  return toDiagram(diagram).nodes.flatMap(({ kind, name }) => (kind === 'node' ? [name] : []));
}

async function readExampleSchema(uri: vscode.Uri, { connections }: DocumentSources): Promise<unknown> {
  const { exampleDocumentSchema, definitionOf } = await import('../datasets/example-schema.ts');
  const { connection, datasetId, side } = exampleSchemaAddressOf(uri);
  const client = await connections.require(connection).connect();
  const dataset = await client.datasets.get({ params: { dataset_id: datasetId } });
  if (side !== undefined) return definitionOf(dataset, side) ?? {};
  return exampleDocumentSchema(dataset, (part) => exampleSchemaUrl({ connection, datasetId, side: part }));
}

async function readSpan(query: URLSearchParams, { connections }: DocumentSources): Promise<unknown> {
  const runId = query.get('run') ?? '';
  const client = await connections.require(query.get('connection') ?? '').connect();
  const run = await client.tracing.runs.get({ params: { run_id: runId } });
  const { id, name, run_type, status, start_time, end_time, total_tokens, error, inputs, outputs, tags } =
    run;
  const head = { id, name, run_type, status, start_time, end_time, total_tokens };
  const { listFeedback } = await import('../../client/list-feedback.ts');
  // If feedback cannot be read, the span is shown without it.
  const feedback = await listFeedback(client.tracing, [runId]).catch(() => []);
  const given = feedback.map(({ key, score, value, comment }) => ({ key, score, value, comment }));
  return { ...head, error, inputs, outputs, tags, ...(given.length > 0 && { feedback: given }) };
}
