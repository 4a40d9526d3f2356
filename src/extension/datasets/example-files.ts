import type * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import { isNotFound } from '../../client/request-error.ts';
import type { Example } from '../../contract/datasets/examples.ts';
import { FILE_KEY } from '../../evaluation/project-identity.ts';
import { millisecondsOf } from '../../terms/times.ts';
import type { Connections } from '../connections/connections.ts';
import type { DraftStore, Newest } from '../documents/document-texts.ts';
import { DraftedFiles } from '../documents/drafted-files.ts';
import { exampleAddressOf } from './example-address.ts';
import { changesOf, exampleText, parseExample } from './example-document.ts';
import { hasSchema } from './example-schema.ts';
import { exampleSchemaUrl } from './example-schema-address.ts';

/**
 * Examples of datasets as JSON documents. Saving a document changes or adds the example, in a new version of
 * its dataset.
 */
export class ExampleFiles extends DraftedFiles<Example | undefined> {
  readonly #connections: Connections;

  constructor(connections: Connections, drafts: DraftStore) {
    super(drafts);
    this.#connections = connections;
  }

  /** Updates the example, or adds it to its dataset if it is new. */
  async write(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const text = Buffer.from(content).toString();
    const example = this.drafts.resource(uri.toString()) ?? (await this.refresh(uri));
    const { $schema: _, ...fields } = parseExample(text);
    const { client, exampleId: example_id, datasetId: dataset_id } = await this.#open(uri);
    if (example !== undefined) {
      const body = changesOf(example, fields);
      if (Object.keys(body).length > 0) await client.examples.update({ params: { example_id }, body });
    } else if (dataset_id !== undefined)
      await client.examples.create({ body: { id: example_id, dataset_id, ...fields } });
    const saved = await client.examples.get({ params: { example_id } });
    this.drafts.noteSaved(uri.toString(), newestOf(saved), text);
  }

  /**
   * The project's file from which an example's dataset was uploaded, and the example's inputs, by which it
   * is found in the file. Undefined if the dataset comes from no file.
   */
  async fileOf(uri: vscode.Uri): Promise<{ readonly file: string; readonly inputs: unknown } | undefined> {
    const { client, exampleId: example_id } = await this.#open(uri);
    const example =
      this.drafts.resource(uri.toString()) ?? (await client.examples.get({ params: { example_id } }));
    const { metadata } = await client.datasets.get({ params: { dataset_id: example.dataset_id } });
    const file = metadata?.[FILE_KEY];
    return typeof file === 'string' ? { file, inputs: example.inputs } : undefined;
  }

  async #open(uri: vscode.Uri) {
    const { connection, ...address } = exampleAddressOf(uri);
    return { ...address, client: await this.#connections.require(connection).connect() };
  }

  /** @returns undefined as long as the example has not been added. */
  protected async refresh(uri: vscode.Uri): Promise<Example | undefined> {
    const { client, exampleId, datasetId } = await this.#open(uri);
    const request = { params: { example_id: exampleId } };
    const isNew = datasetId !== undefined && this.drafts.resource(uri.toString()) === undefined;
    const example = await client.examples.get(request).catch((error: unknown) => {
      if (isNew && isNotFound(error)) return undefined;
      throw error;
    });
    await this.drafts.note(uri.toString(), newestOf(example), async () => {
      // A new example begins empty: its text is written into its editor.
      if (example === undefined) return '';
      return exampleText(example, await this.#schemaUrlOf(uri, example, client));
    });
    return example;
  }

  /** The address of the document's schema, if the dataset has one. */
  async #schemaUrlOf(uri: vscode.Uri, { dataset_id }: Example, client: Client): Promise<string | undefined> {
    // If the dataset cannot be read, the document has no schema; the platform checks the example when it is
    // saved.
    const dataset = await client.datasets.get({ params: { dataset_id } }).catch(() => undefined);
    if (dataset === undefined || !hasSchema(dataset)) return undefined;
    return exampleSchemaUrl({ connection: exampleAddressOf(uri).connection, datasetId: dataset_id });
  }
}

function newestOf<Kind extends Example | undefined>(example: Kind): Newest<Kind> {
  const modified = example?.modified_at ?? undefined;
  return { resource: example, version: modified ?? '', changed: millisecondsOf(modified) };
}
