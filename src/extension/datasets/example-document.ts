import { z } from 'zod';
import type { Example, ExampleUpdate } from '../../contract/datasets/examples.ts';
import { JsonObject } from '../../contract/fields.ts';
import { readJsonDocument } from '../documents/json-document.ts';

/** The editable fields of an example, as its document has them. */
const ExampleFields = z.strictObject({
  $schema: z.string().optional(),
  inputs: JsonObject,
  outputs: JsonObject.nullable().default(null),
  metadata: JsonObject.nullable().default(null),
});
export type ExampleFields = z.output<typeof ExampleFields>;

type Fields = Pick<Example, 'inputs' | 'outputs' | 'metadata'>;

/**
 * The text of an example's document.
 * @param schemaUrl the address of the document's schema; undefined when the dataset has none
 */
export function exampleText({ inputs, outputs, metadata }: Fields, schemaUrl?: string): string {
  const schema = schemaUrl === undefined ? {} : { $schema: schemaUrl };
  const fields = { ...schema, inputs: inputs ?? {}, outputs: outputs ?? null, metadata: metadata ?? {} };
  return `${JSON.stringify(fields, undefined, 2)}\n`;
}

/** Parses a document. @throws Error that names the line or the field that is not valid. */
export function parseExample(text: string): ExampleFields {
  const read = readJsonDocument(text, ExampleFields);
  if ('problem' in read) throw new Error(read.problem.sentence);
  return read.fields;
}

/** The fields of an example that its document changes; each is replaced as a whole. */
export function changesOf(before: Fields, after: ExampleFields): ExampleUpdate {
  const differs = (a: unknown, b: unknown) => JSON.stringify(a ?? {}) !== JSON.stringify(b ?? {});
  return {
    ...(differs(before.inputs, after.inputs) && { inputs: after.inputs }),
    ...(differs(before.outputs, after.outputs) && { outputs: after.outputs ?? {} }),
    ...(differs(before.metadata, after.metadata) && { metadata: after.metadata ?? {} }),
  };
}
