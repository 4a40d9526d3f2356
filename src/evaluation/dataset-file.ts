import path from 'node:path';
import { z } from 'zod';
import { messageOf } from '../process/message-of.ts';
import { EvaluationSettings } from './evaluation-settings.ts';

/** The ending of the names of dataset files. */
export const DATASET_ENDING = '.dataset.jsonl';

const Fields = z.record(z.string(), z.unknown());

/** A line of the file with an example, whose fields are named as in LangSmith. */
export const ExampleLine = z.strictObject({
  /** A name to show in results and JUnit reports. */
  name: z.string().min(1).optional(),
  /** A UUID, or any text that is unique in the file. */
  id: z.string().min(1).optional(),
  inputs: z.record(z.string(), z.unknown(), {
    error: ({ input }) =>
      input === undefined
        ? 'Missing. Every example has the input of the graph: {"inputs": {…}}.'
        : 'Must be a JSON object: the input of the graph.',
  }),
  /** The reference outputs. */
  outputs: Fields.nullish(),
  metadata: Fields.nullish(),
  split: z.union([z.string().min(1), z.array(z.string().min(1))]).nullish(),
  /** A run file below the dataset's folder; models and tools answer from it. */
  cassette: z
    .string()
    .min(1)
    .refine((file) => !path.posix.normalize(`./${file}`).startsWith('..') && !/^[\\/]|^\w:|\\/.test(file), {
      error:
        'Must be a path below the folder of the dataset, with slashes, such as cassettes/refund.agentrun.',
    })
    .optional(),
});
export type ExampleLine = z.output<typeof ExampleLine>;

/** An example in a file. */
export interface FileExample extends ExampleLine {
  /** The example's line in the file, from 1. */
  readonly line: number;
  /** Unique in the file, and stable while the example's `id` (or its inputs, if it has no `id`) does not change. */
  readonly key: string;
  /** The name to show; see `labelOf`. */
  readonly label: string;
}

/** A problem with a line of a dataset. */
export interface LineProblem {
  readonly line: number;
  readonly message: string;
}

export interface DatasetFile {
  /** Absolute path. */
  readonly file: string;
  /** The dataset's name on the platform. */
  readonly name: string;
  readonly settings: EvaluationSettings;
  readonly examples: readonly FileExample[];
  /** Lines with a problem are not among the examples. */
  readonly problems: readonly LineProblem[];
}

const Header = z.strictObject({ dataset: EvaluationSettings });
const MAX_LABEL_CHARS = 80;

/** Parses a `*.dataset.jsonl` file: an optional header, then one example per line. Empty lines are skipped. */
export function parseDatasetFile(file: string, text: string): DatasetFile {
  const problems: LineProblem[] = [];
  const examples: FileExample[] = [];
  let settings: EvaluationSettings | undefined;
  const keys = new Map<string, number>();
  let isFirst = true;
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  for (const [index, content] of lines.entries()) {
    if (content.trim() === '') continue;
    const line = index + 1;
    const parsed = parseLine(content, isFirst);
    isFirst = false;
    if (parsed.kind === 'header') settings = parsed.settings;
    else if (parsed.kind === 'refused')
      problems.push(...parsed.messages.map((message) => ({ line, message })));
    else {
      const { id, inputs } = parsed.example;
      const earlier = id === undefined ? undefined : keys.get(id);
      if (earlier !== undefined) {
        problems.push({ line, message: `id: '${id}' is already the id of line ${earlier}.` });
        continue;
      }
      const key = uniqueKey(keys, id ?? JSON.stringify(inputs));
      examples.push({ ...parsed.example, line, key, label: labelOf(parsed.example) });
      keys.set(key, line);
    }
  }
  settings ??= EvaluationSettings.parse({});
  const name = settings.name ?? path.basename(file).slice(0, -DATASET_ENDING.length);
  return { file, name, settings, examples, problems };
}

/** A key that is not in use yet. Examples with equal inputs are distinguished by their order. */
function uniqueKey(known: ReadonlyMap<string, number>, key: string): string {
  let unique = key;
  for (let ordinal = 2; known.has(unique); ordinal++) unique = `${key} ${ordinal}`;
  return unique;
}

type ParsedLine =
  | { readonly kind: 'header'; readonly settings: EvaluationSettings }
  | { readonly kind: 'example'; readonly example: ExampleLine }
  | { readonly kind: 'refused'; readonly messages: readonly string[] };

/** Parses a line. @param isFirst whether it is the first line, which may be the header */
function parseLine(content: string, isFirst: boolean): ParsedLine {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (error) {
    const message = `Not valid JSON: ${messageOf(error)}. Write one JSON object per line.`;
    return { kind: 'refused', messages: [message] };
  }
  if (isFirst && isHeader(value)) {
    const header = Header.safeParse(value);
    return header.success ? { kind: 'header', settings: header.data.dataset } : refusalOf(header.error);
  }
  const example = ExampleLine.safeParse(value);
  return example.success ? { kind: 'example', example: example.data } : refusalOf(example.error);
}

function isHeader(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'dataset' in value;
}

function refusalOf({ issues }: z.ZodError): ParsedLine {
  const messages = issues.map(({ path: at, message }) =>
    at.length === 0 ? message : `${at.map(String).join('.')}: ${message}`,
  );
  return { kind: 'refused', messages };
}

/** The name or the ID of an example; else the last message or the first text in its inputs; else its inputs as JSON. */
function labelOf({ name, id, inputs }: ExampleLine): string {
  const text = name ?? id ?? lastMessage(inputs) ?? firstText(inputs) ?? JSON.stringify(inputs);
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= MAX_LABEL_CHARS ? line : `${line.slice(0, MAX_LABEL_CHARS - 1)}…`;
}

const Messages = z.array(z.looseObject({ content: z.string() })).min(1);

function lastMessage({ messages }: Record<string, unknown>): string | undefined {
  const read = Messages.safeParse(messages);
  return read.success ? read.data.at(-1)?.content : undefined;
}

function firstText(inputs: Record<string, unknown>): string | undefined {
  return Object.values(inputs).find(
    (value): value is string => typeof value === 'string' && value.trim() !== '',
  );
}
