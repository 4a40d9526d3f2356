import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import type { Example } from '../../contract/datasets/examples.ts';
import { millisecondsOf } from '../../terms/times.ts';
import type { Connections } from '../connections/connections.ts';
import { isNotFound } from '../dialogs/errors.ts';
import type { DocumentFiles } from '../documents/editable-documents.ts';
import { exampleAddressOf } from './example-address.ts';
import { changesOf, exampleText, parseExample } from './example-document.ts';
import { hasSchema } from './example-schema.ts';
import { exampleSchemaUrl } from './example-schema-address.ts';

/** An example as its document was read: what is saved is what was changed since. */
interface Read {
  /** Undefined as long as it has not been added. */
  readonly example: Example | undefined;
  readonly text: string;
  /** Changes with the text, in milliseconds since 1970. */
  readonly time: number;
}

/** Examples of datasets as JSON documents: saving one makes a new version of its dataset, and adds the example if it is new. */
export class ExampleFiles implements DocumentFiles {
  readonly #connections: Connections;
  readonly #read = new Map<string, Read>();

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { example, text, time } = await this.#refresh(uri);
    const ctime = millisecondsOf(example?.created_at) ?? time;
    return { type: vscode.FileType.File, ctime, mtime: time, size: Buffer.byteLength(text) };
  }

  async read(uri: vscode.Uri): Promise<Uint8Array> {
    return Buffer.from((await this.#refresh(uri)).text);
  }

  async keepDraft(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const { example } = await this.#refresh(uri);
    this.#remember(uri, example, Buffer.from(content).toString());
  }

  async write(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const text = Buffer.from(content).toString();
    const { example } = this.#read.get(uri.toString()) ?? (await this.#refresh(uri));
    const { $schema: _, ...fields } = parseExample(text);
    const { client, exampleId: example_id, datasetId: dataset_id } = await this.#open(uri);
    if (example !== undefined) {
      const body = changesOf(example, fields);
      if (Object.keys(body).length === 0) return;
      await client.examples.update({ params: { example_id }, body });
    } else if (dataset_id !== undefined)
      await client.examples.create({ body: { id: example_id, dataset_id, ...fields } });
    this.#remember(uri, await client.examples.get({ params: { example_id } }), text);
  }

  async #open(uri: vscode.Uri) {
    const { connection, ...address } = exampleAddressOf(uri);
    return { ...address, client: await this.#connections.require(connection).connect() };
  }

  /** Reads the example; its text stays the one that was saved as long as the example is still that one. */
  async #refresh(uri: vscode.Uri): Promise<Read> {
    const known = this.#read.get(uri.toString());
    const { client, exampleId, datasetId } = await this.#open(uri);
    const request = { params: { example_id: exampleId } };
    const isNew = datasetId !== undefined && known?.example === undefined;
    const example = await client.examples.get(request).catch((error: unknown) => {
      if (isNew && isNotFound(error)) return undefined;
      throw error;
    });
    if (known !== undefined && known.example?.modified_at === example?.modified_at) return known;
    // A new example begins empty: its text is written into its editor.
    if (example === undefined) return this.#remember(uri, undefined, '');
    return this.#remember(uri, example, exampleText(example, await this.#schemaUrlOf(uri, example, client)));
  }

  /** Where the schema of the document is, if the dataset has one. */
  async #schemaUrlOf(uri: vscode.Uri, { dataset_id }: Example, client: Client): Promise<string | undefined> {
    // A caller who may read only the example can edit it unchecked: the platform checks it when it is saved.
    const dataset = await client.datasets.get({ params: { dataset_id } }).catch(() => undefined);
    if (dataset === undefined || !hasSchema(dataset)) return undefined;
    return exampleSchemaUrl({ connection: exampleAddressOf(uri).connection, datasetId: dataset_id });
  }

  #remember(uri: vscode.Uri, example: Example | undefined, text: string): Read {
    const key = uri.toString();
    const changed = millisecondsOf(example?.modified_at) ?? 0;
    const read = { example, text, time: Math.max(changed, (this.#read.get(key)?.time ?? 0) + 1) };
    this.#read.set(key, read);
    return read;
  }
}
