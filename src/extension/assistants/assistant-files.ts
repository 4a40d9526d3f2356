import * as vscode from 'vscode';
import { isNotFound } from '../../client/request-error.ts';
import type { Assistant, AssistantPatch } from '../../contract/agent-server/assistants.ts';
import { millisecondsOf } from '../../terms/times.ts';
import type { Deployments } from '../deployments/deployments.ts';
import type { OpenDeployment } from '../deployments/open-deployment.ts';
import { DocumentTexts, type DraftStore, type Newest } from '../documents/document-texts.ts';
import type { JsonDocuments } from '../documents/documents.ts';
import type { DocumentFiles } from '../documents/editable-documents.ts';
import type { AssistantAddresses } from './assistant-address.ts';
import { assistantText, changesOf, parseAssistant } from './assistant-document.ts';
import { checkContext } from './check-context.ts';

export interface AssistantFilesParts {
  readonly addresses: AssistantAddresses;
  readonly deployments: Deployments;
  readonly documents: JsonDocuments;
  readonly drafts: DraftStore;
}

/**
 * Assistants as JSON documents: opening one reads it, saving it creates a new version, or the assistant if it
 * is new.
 */
export class AssistantFiles implements DocumentFiles {
  readonly #parts: AssistantFilesParts;
  /** The assistant is undefined as long as it has not been created. */
  readonly drafts: DocumentTexts<Assistant | undefined>;

  constructor(parts: AssistantFilesParts) {
    this.#parts = parts;
    this.drafts = new DocumentTexts(parts.drafts);
  }

  async stat(uri: vscode.Uri, isBeingSaved: boolean): Promise<vscode.FileStat> {
    const assistant = await this.#refresh(uri);
    if (isBeingSaved) this.drafts.beginSave(uri.toString());
    const { time, size } = this.drafts.shown(uri.toString());
    const ctime = millisecondsOf(assistant?.created_at) ?? time;
    return { type: vscode.FileType.File, ctime, mtime: time, size };
  }

  async read(uri: vscode.Uri): Promise<Uint8Array> {
    await this.#refresh(uri);
    return Buffer.from(this.drafts.shown(uri.toString()).text);
  }

  /** Keeps automatically saved documents as drafts, so that they create no versions. */
  async keepDraft(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    await this.#refresh(uri);
    this.drafts.keepDraft(uri.toString(), Buffer.from(content).toString());
  }

  /** The effect of saving a document, in words; undefined when it would change nothing. */
  pendingSave({ uri, isDirty }: vscode.TextDocument): 'create' | 'update' | undefined {
    const key = uri.toString();
    if (this.drafts.thing(key) === undefined) return 'create';
    return isDirty || this.drafts.draftState(key) !== 'none' ? 'update' : undefined;
  }

  async write(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const text = Buffer.from(content).toString();
    const { deployment, assistantId, graphId } = this.#parts.addresses.addressOf(uri);
    const { $schema: _, ...fields } = parseAssistant(text);
    const { client } = await this.#parts.deployments.open(deployment);
    const before = this.drafts.thing(uri.toString());
    if (before === undefined) {
      await checkContextOf(fields, client, graphId);
      const body = { assistant_id: assistantId, graph_id: graphId, if_exists: 'raise' as const, ...fields };
      this.#noteSaved(uri, await client.assistants.create({ body }), text);
      return;
    }
    const body = changesOf(before, fields);
    if (Object.keys(body).length === 0) {
      this.drafts.noteSaved(uri.toString(), newestOf(before), text);
      return;
    }
    await checkContextOf(body, client, graphId);
    const params = { assistant_id: assistantId };
    this.#noteSaved(uri, await client.assistants.update({ params, body }), text);
  }

  #noteSaved(uri: vscode.Uri, assistant: Assistant, text: string): void {
    this.drafts.noteSaved(uri.toString(), newestOf(assistant), text);
    vscode.window.setStatusBarMessage(
      vscode.l10n.t('Saved {0} as version {1}.', assistant.name, assistant.version),
      5_000,
    );
  }

  /** Reads the assistant; its text stays the one that was saved as long as the assistant is still that one. */
  async #refresh(uri: vscode.Uri): Promise<Assistant | undefined> {
    const { deployment, assistantId, graphId } = this.#parts.addresses.addressOf(uri);
    const key = uri.toString();
    const opened = await this.#parts.deployments.open(deployment);
    const schemaUrl = this.#parts.documents.schemaUrl(opened, graphId);
    const assistant = await opened.client.assistants
      .get({ params: { assistant_id: assistantId } })
      .catch((error: unknown) => {
        // A new assistant, or a deleted one that is created again.
        if (isNotFound(error)) return undefined;
        throw error;
      });
    await this.drafts.note(key, newestOf(assistant), () =>
      assistant === undefined ? this.drafts.newestText(key) : assistantText(assistant, schemaUrl),
    );
    return assistant;
  }
}

function newestOf<Kind extends Assistant | undefined>(assistant: Kind): Newest<Kind> {
  const updated = assistant?.updated_at;
  return { thing: assistant, version: updated ?? '', changed: millisecondsOf(updated) };
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
