import type { IncomingMessage } from 'node:http';
import { ExampleCreate, ExampleUpdate } from '../../../../contract/datasets/examples.ts';
import { isObject } from '../../../../process/objects.ts';
import { HttpError, invalid, validationIssues } from '../../../http/errors.ts';
import type { ExampleFile } from '../../datasets/example-attachments.ts';
import type { ChangedExample, NewExample } from '../../datasets/write-examples.ts';
import { normalId } from '../../runs/parts.ts';
import { readMultipart } from '../ingestion/read-multipart.ts';

/** The parts of an example in an upload. */
interface UploadedExample {
  fields: Record<string, unknown>;
  files: ExampleFile[];
}

/**
 * Reads examples as clients upload them, in the parts `<id>`, `<id>.inputs`, `<id>.outputs`,
 * `<id>.attachments_operations` and `<id>.attachment.<name>`.
 * @returns the examples by ID.
 * @throws HttpError 422 naming the invalid part.
 */
export async function readExamples(request: IncomingMessage): Promise<Map<string, UploadedExample>> {
  const examples = new Map<string, UploadedExample>();
  await readMultipart(request, ({ name, contentType, content }) => {
    const [rawId = '', kind, ...rest] = name.split('.');
    const id = normalId(rawId);
    if (id === undefined)
      throw invalid(['body', name], `Part '${name}' must start with the ID of an example.`);
    let example = examples.get(id);
    if (example === undefined) {
      example = { fields: {}, files: [] };
      examples.set(id, example);
    }
    const data = Buffer.concat(content);
    if (kind === undefined) Object.assign(example.fields, parseObject(name, data));
    else if (kind === 'inputs' || kind === 'outputs' || kind === 'attachments_operations')
      example.fields[kind] = parseObject(name, data);
    else if ((kind === 'attachment' || kind === 'attachments') && rest.length > 0)
      example.files.push({ name: rest.join('.'), contentType, data });
    else throw invalid(['body', name], `Part '${name}' is not a part of an example.`);
  });
  return examples;
}

/** Converts uploaded examples to examples to add. @throws HttpError 422 for invalid fields. */
export function toNewExamples(examples: Map<string, UploadedExample>, datasetId: string): NewExample[] {
  return [...examples].map(([id, { fields, files }]) => {
    const parsed = ExampleCreate.safeParse({ ...fields, id, dataset_id: datasetId });
    if (!parsed.success) throw new HttpError(422, validationIssues(parsed.error, 'body'));
    return { ...parsed.data, files };
  });
}

/** Converts uploaded examples to changes of existing ones. @throws HttpError 422 for invalid fields. */
export function toChanges(examples: Map<string, UploadedExample>): ChangedExample[] {
  return [...examples].map(([id, { fields, files }]) => {
    const parsed = ExampleUpdate.safeParse(fields);
    if (!parsed.success) throw new HttpError(422, validationIssues(parsed.error, 'body'));
    return { ...parsed.data, id, files };
  });
}

function parseObject(name: string, data: Buffer): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(data.toString('utf8'));
    if (isObject(parsed)) return parsed;
  } catch {
    // The error is thrown below.
  }
  throw invalid(['body', name], `Part '${name}' must be a JSON object.`, 'json_invalid');
}
