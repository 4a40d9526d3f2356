import { writeAdk } from './adk.ts';
import type { FileExample } from './file-example.ts';
import type { ExampleFormat } from './format.ts';
import { writeInspect } from './inspect.ts';
import { writePromptfoo } from './promptfoo.ts';

/** The formats that the client writes; CSV is written by the platform. */
export type WrittenFormat = Exclude<ExampleFormat, 'csv'>;

/**
 * Writes examples as the text of a file: JSON lines one by one, and the formats of tools as one text.
 * @param options.name the name of the dataset
 * @throws ExampleFileError while iterating, when the format cannot express an example
 */
export async function* writeExamples(
  examples: AsyncIterable<FileExample>,
  { format, name }: { readonly format: WrittenFormat; readonly name: string },
): AsyncGenerator<string, void, undefined> {
  if (format === 'jsonl') {
    for await (const { id, inputs, outputs, metadata, split } of examples)
      yield `${JSON.stringify({ id, inputs, outputs, metadata, split })}\n`;
    return;
  }
  const all: FileExample[] = [];
  for await (const example of examples) all.push(withSplit(example));
  if (format === 'promptfoo') yield writePromptfoo(all);
  else if (format === 'adk') yield writeAdk(all, name);
  else yield writeInspect(all);
}

/** Moves splits to the metadata, where platforms keep them, for formats without splits. */
function withSplit({ split, ...example }: FileExample): FileExample {
  if (split === undefined) return example;
  return { ...example, metadata: { ...example.metadata, dataset_split: split } };
}
