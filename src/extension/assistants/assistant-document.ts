import * as l10n from '@vscode/l10n';
import { z } from 'zod';
import type { Assistant, AssistantPatch } from '../../contract/agent-server/assistants.ts';
import { JsonObject } from '../../contract/fields.ts';
import { readJsonDocument } from '../documents/json-document.ts';

/** The editable fields of an assistant. */
export const AssistantFields = z.strictObject({
  $schema: z.string().optional(),
  name: z.string().min(1, { error: () => l10n.t('Enter a name.') }),
  description: z.string().nullable().default(null),
  context: JsonObject.default({}),
  config: JsonObject.default({}),
  metadata: JsonObject.default({}),
});
export type AssistantFields = z.output<typeof AssistantFields>;

/** The text of an assistant's document. */
export function assistantText(
  fields: Pick<Assistant, 'name' | 'description' | 'context' | 'config' | 'metadata'>,
  schemaUrl: string,
): string {
  const { name, description, context, config, metadata } = fields;
  const text = { $schema: schemaUrl, name, description: description ?? '', context, config, metadata };
  return `${JSON.stringify(text, undefined, 2)}\n`;
}

/** Parses a document. @throws Error that names the line or the field that is not valid. */
export function parseAssistant(text: string): AssistantFields {
  const read = readJsonDocument(text, AssistantFields);
  if ('problem' in read) throw new Error(read.problem.sentence);
  return read.fields;
}

/** The changed fields of an assistant. Config, context and metadata count as one field each. */
export function changesOf(
  before: Pick<Assistant, 'name' | 'description' | 'context' | 'config' | 'metadata'>,
  after: AssistantFields,
): AssistantPatch {
  const differs = (a: unknown, b: unknown) => JSON.stringify(a) !== JSON.stringify(b);
  return {
    ...(before.name !== after.name && { name: after.name }),
    ...((before.description ?? '') !== (after.description ?? '') && { description: after.description ?? '' }),
    ...(differs(before.context, after.context) && { context: after.context }),
    ...(differs(before.config, after.config) && { config: after.config }),
    ...(differs(before.metadata, after.metadata) && { metadata: after.metadata }),
  };
}
