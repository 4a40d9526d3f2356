import * as vscode from 'vscode';
import type { Assistant, AssistantPatch } from '../../contract/agent-server/assistants.ts';
import { millisecondsOf } from '../../terms/times.ts';
import type { Deployments } from '../deployments/deployments.ts';
import type { OpenDeployment } from '../deployments/open-deployment.ts';
import { isNotFound } from '../dialogs/errors.ts';
import type { JsonDocuments } from '../documents/documents.ts';
import type { DocumentFiles } from '../documents/editable-documents.ts';
import type { AssistantAddresses } from './assistant-address.ts';
import { assistantText, changesOf, parseAssistant } from './assistant-document.ts';
import { checkContext } from './check-context.ts';

export interface AssistantFilesParts {
  readonly addresses: AssistantAddresses;
  readonly deployments: Deployments;
  readonly documents: JsonDocuments;
}

/** An assistant's document as it was read, to find the changes on save. */
interface Read {
  /** Undefined as long as it has not been created. */
  readonly assistant: Assistant | undefined;
  readonly text: string;
  readonly time: number;
  /** Whether VS Code saved the text by itself, so that it was not sent. */
  readonly isDraft: boolean;
}

/**
 * Assistants as JSON documents: opening one reads it, saving it creates a new version, or the assistant if it
 * is new.
 */
export class AssistantFiles implements DocumentFiles {
  readonly #parts: AssistantFilesParts;
  readonly #read = new Map<string, Read>();

  constructor(parts: AssistantFilesParts) {
    this.#parts = parts;
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { text, time, assistant } = await this.#refresh(uri);
    return {
      type: vscode.FileType.File,
      ctime: millisecondsOf(assistant?.created_at) ?? time,
      mtime: time,
      size: Buffer.byteLength(text),
    };
  }

  async read(uri: vscode.Uri): Promise<Uint8Array> {
    return Buffer.from((await this.#refresh(uri)).text);
  }

  /** Keeps automatically saved documents as drafts, so that they create no versions. */
  async keepDraft(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const { assistant } = await this.#refresh(uri);
    this.#remember(uri, assistant, Buffer.from(content).toString(), true);
  }

  /** Says what saving a document would do; undefined when it would change nothing. */
  pendingSave({ uri, isDirty }: vscode.TextDocument): 'create' | 'update' | undefined {
    const read = this.#read.get(uri.toString());
    if (read?.assistant === undefined) return 'create';
    return isDirty || read.isDraft ? 'update' : undefined;
  }

  async write(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const text = Buffer.from(content).toString();
    const { deployment, assistantId, graphId } = this.#parts.addresses.addressOf(uri);
    const { $schema: _, ...fields } = parseAssistant(text);
    const { client } = await this.#parts.deployments.open(deployment);
    const before = this.#read.get(uri.toString())?.assistant;
    if (before === undefined) {
      await checkContextOf(fields, client, graphId);
      const body = { assistant_id: assistantId, graph_id: graphId, if_exists: 'raise' as const, ...fields };
      this.#noteSaved(uri, await client.assistants.create({ body }), text);
      return;
    }
    const body = changesOf(before, fields);
    if (Object.keys(body).length === 0) {
      this.#remember(uri, before, text);
      return;
    }
    await checkContextOf(body, client, graphId);
    const params = { assistant_id: assistantId };
    this.#noteSaved(uri, await client.assistants.update({ params, body }), text);
  }

  #noteSaved(uri: vscode.Uri, assistant: Assistant, text: string): void {
    this.#remember(uri, assistant, text);
    vscode.window.setStatusBarMessage(
      vscode.l10n.t('Saved {0} as version {1}.', assistant.name, assistant.version),
      5_000,
    );
  }

  /** Reads the assistant; its text stays the one that was saved as long as the assistant is still that one. */
  async #refresh(uri: vscode.Uri): Promise<Read> {
    const { deployment, assistantId, graphId } = this.#parts.addresses.addressOf(uri);
    const known = this.#read.get(uri.toString());
    try {
      const opened = await this.#parts.deployments.open(deployment);
      const assistant = await opened.client.assistants.get({ params: { assistant_id: assistantId } });
      if (known?.assistant?.updated_at === assistant.updated_at) return known;
      const schemaUrl = this.#parts.documents.schemaUrl(opened, graphId);
      return this.#remember(uri, assistant, assistantText(assistant, schemaUrl));
    } catch (error) {
      if (!isNotFound(error)) throw error;
      if (known !== undefined && known.assistant === undefined) return known;
      // It is new, or was deleted and is created again.
      return this.#remember(uri, undefined, known?.text ?? '');
    }
  }

  #remember(uri: vscode.Uri, assistant: Assistant | undefined, text: string, isDraft = false): Read {
    const key = uri.toString();
    const updated = millisecondsOf(assistant?.updated_at) ?? 0;
    const read = { assistant, text, isDraft, time: Math.max(updated, (this.#read.get(key)?.time ?? 0) + 1) };
    this.#read.set(key, read);
    return read;
  }
}

/** Checks the context that a save would send. @throws Error that names the field which does not match. */
async function checkContextOf(
  { context }: Pick<AssistantPatch, 'context'>,
  client: OpenDeployment['client'],
  graphId: string,
): Promise<void> {
  if (context == null) return;
  // A graph that cannot be loaded now has no schemas, and its assistants can still be changed.
  const schemas = await client.assistants
    .schemas({ params: { assistant_id: graphId } })
    .catch(() => undefined);
  if (schemas?.context_schema != null) checkContext(context, schemas.context_schema);
}
