import { z } from 'zod';
import { JsonObject } from '../contract/fields.ts';
import { jsonOrUndefined } from '../process/json-or-undefined.ts';
import { ExampleFileError } from './example-file-error.ts';
import { type FileExample, onlyText, ownFields, present, withoutOwn } from './file-example.ts';
import { checkDepth, parseJson, readDocument } from './read-document.ts';

/**
 * Reads and writes samples of Inspect. `input` and `choices` are the inputs of an example, and `target` is its output.
 * All other fields, such as `files` and `sandbox`, are kept in the metadata, under `inspect`, for the export.
 */

const Message = z.looseObject({ role: z.string(), content: z.unknown() });
const Sample = z.looseObject({
  input: z.union([z.string(), z.array(Message)], 'must be a text or a list of messages'),
  target: z.union([z.string(), z.array(z.string())]).optional(),
  choices: z.array(z.string()).nullish(),
  metadata: JsonObject.nullish(),
});
type Sample = z.output<typeof Sample>;

/**
 * Reads samples from a JSON list, or from JSON lines.
 * @throws ExampleFileError that names the invalid sample
 */
export function readInspect(text: string): FileExample[] {
  const samples = readDocument(samplesOf(text), z.array(Sample), 'a file of Inspect samples');
  return samples.map(toExample);
}

/** Writes samples as JSON lines, which Inspect's `json_dataset` reads. */
export function writeInspect(examples: readonly FileExample[]): string {
  return examples.map((example) => `${JSON.stringify(toSample(example))}\n`).join('');
}

function samplesOf(text: string): unknown {
  if (text.trimStart().startsWith('[')) return parseJson(text);
  return text.split(/\r?\n/).flatMap((line, at) => {
    if (line.trim() === '') return [];
    const value = jsonOrUndefined(line);
    if (value === undefined) throw new ExampleFileError(`Line ${at + 1} is not a JSON object.`);
    checkDepth(value, `Line ${at + 1}`);
    return [value];
  });
}

function toExample({ input, target, choices, metadata, ...rest }: Sample): FileExample {
  const kept = { ...metadata, ...(Object.keys(rest).length > 0 && { inspect: rest }) };
  return {
    inputs: { ...(typeof input === 'string' ? { input } : { messages: input }), ...(choices && { choices }) },
    outputs: target === undefined ? null : { target },
    metadata: Object.keys(kept).length === 0 ? null : kept,
  };
}

function toSample({ id, inputs, outputs, metadata }: FileExample): unknown {
  const { choices, ...others } = inputs;
  const listed = z.array(z.string()).safeParse(choices).data;
  return present({
    id,
    ...ownFields(metadata, 'inspect'),
    input: inputOf(listed === undefined ? inputs : others),
    target: targetOf(outputs),
    choices: listed,
    metadata: withoutOwn(metadata, 'inspect'),
  });
}

function inputOf(asked: FileExample['inputs']): unknown {
  const messages = z.array(Message).safeParse(asked.messages).data;
  if (messages !== undefined && Object.keys(asked).length === 1) return messages;
  return onlyText(asked) ?? JSON.stringify(asked);
}

function targetOf(outputs: FileExample['outputs']): string | string[] | undefined {
  if (outputs === null) return undefined;
  const listed = z.strictObject({ target: z.array(z.string()) }).safeParse(outputs).data;
  return listed?.target ?? onlyText(outputs) ?? JSON.stringify(outputs);
}
