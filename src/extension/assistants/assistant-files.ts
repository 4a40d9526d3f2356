import * as vscode from 'vscode';
import { isNotFound } from '../../client/request-error.ts';
import type { Assistant, AssistantPatch } from '../../contract/agent-server/assistants.ts';
import { millisecondsOf } from '../../terms/times.ts';
import type { Deployments } from '../deployments/deployments.ts';
import type { OpenDeployment } from '../deployments/open-deployment.ts';
import type { DraftStore, Newest } from '../documents/document-texts.ts';
import { DraftedFiles } from '../documents/drafted-files.ts';
import type { ReadOnlyDocuments } from '../documents/read-only-documents.ts';
import type { AssistantAddresses } from './assistant-address.ts';
import { assistantText, changesOf, parseAssistant } from './assistant-document.ts';
import { checkContext } from './check-context.ts';

interface AssistantFilesParts {
  readonly addresses: AssistantAddresses;
  readonly deployments: Deployments;
  readonly documents: ReadOnlyDocuments;
  readonly drafts: DraftStore;
}

/**
 * Assistants as JSON documents. Saving a document creates a new version of the assistant, or the assistant
 * itself if it is new.
 */
export class AssistantFiles extends DraftedFiles<Assistant | undefined> {
  readonly #parts: AssistantFilesParts;

  constructor(parts: AssistantFilesParts) {
    super(parts.drafts);
    this.#parts = parts;
  }

  /** The effect that saving a document would have; undefined if it would change nothing. */
  pendingSave({ uri, isDirty }: vscode.TextDocument): 'create' | 'update' | undefined {
    const key = uri.toString();
    if (this.drafts.resource(key) === undefined) return 'create';
    return isDirty || this.drafts.draftState(key) !== 'none' ? 'update' : undefined;
  }

  async write(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const text = Buffer.from(content).toString();
    const { deployment, assistantId, graphId } = this.#parts.addresses.addressOf(uri);
    const { $schema: _, ...fields } = parseAssistant(text);
    const { client } = await this.#parts.deployments.open(deployment);
    const before = this.drafts.resource(uri.toString());
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

  /** @returns undefined as long as the assistant has not been created. */
  protected async refresh(uri: vscode.Uri): Promise<Assistant | undefined> {
    const { deployment, assistantId, graphId } = this.#parts.addresses.addressOf(uri);
    const key = uri.toString();
    const opened = await this.#parts.deployments.open(deployment);
    const schemaUrl = this.#parts.documents.schemaUrl(opened, graphId);
    const assistant = await opened.client.assistants
      .get({ params: { assistant_id: assistantId } })
      .catch((error: unknown) => {
        // 404: the assistant is new, or it has been deleted, and saving creates it again.
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
  return { resource: assistant, version: updated ?? '', changed: millisecondsOf(updated) };
}

/** Checks the context that a save would send. @throws Error that names the field which does not match. */
async function checkContextOf(
  { context }: Pick<AssistantPatch, 'context'>,
  client: OpenDeployment['client'],
  graphId: string,
): Promise<void> {
  if (context == null) return;
  // If the graph does not load, it has no schemas, but its assistants can still be changed.
  const schemas = await client.assistants
    .schemas({ params: { assistant_id: graphId } })
    .catch(() => undefined);
  if (schemas?.context_schema != null) checkContext(context, schemas.context_schema);
}
