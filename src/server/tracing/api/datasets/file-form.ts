import type { IncomingMessage } from 'node:http';
import { invalid } from '../../../http/errors.ts';
import { readMultipart } from '../ingestion/read-multipart.ts';

/** A form with a file; `values` has its other fields, each of which may have several values. */
export interface FileForm {
  readonly file: { readonly name: string; readonly text: string };
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** Reads a form with one file. @throws HttpError 422 when it has none. */
export async function readFileForm(request: IncomingMessage): Promise<FileForm> {
  const values = new Map<string, string[]>();
  let file: FileForm['file'] | undefined;
  await readMultipart(request, ({ name, filename, content }) => {
    const text = Buffer.concat(content).toString('utf8');
    if (name === 'file') file = { name: filename ?? '', text };
    else values.set(name, [...(values.get(name) ?? []), ...parseList(text)]);
  });
  if (file === undefined) throw invalid(['body', 'file'], 'Send the file as a part named "file".', 'missing');
  return { file, values };
}

/** Parses a list, which some clients send as repeated parts and others as one JSON array. */
function parseList(text: string): string[] {
  if (!text.startsWith('[')) return [text];
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed.map(String) : [text];
  } catch {
    return [text];
  }
}
