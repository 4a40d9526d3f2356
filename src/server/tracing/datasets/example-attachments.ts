import type { ExampleUpdate } from '../../../contract/datasets/examples.ts';
import { invalid } from '../../http/errors.ts';
import { parseStored, type StoredJson } from '../../storage/stored-json.ts';
import type { WriterContext } from '../context/writer-context.ts';

/** An attachment as it was sent. */
export interface ExampleFile {
  readonly name: string;
  readonly contentType: string;
  readonly data: Uint8Array;
}

/** Attachments that are stored already: keys of `example_files`, by name. */
export type StoredFiles = Readonly<Record<string, number>>;

/**
 * Copies stored attachments to another example, so that the copies outlast the original example. An
 * attachment that was deleted in the meantime is left out.
 * @returns the copies.
 */
export function copyFiles(
  { db }: WriterContext,
  workspace: number,
  example: string,
  files: StoredFiles,
): Record<string, number> {
  // The condition on the workspace keeps a request from reading the files of other workspaces.
  const copy = db.statement(
    `INSERT INTO example_files (workspace, example, content_type, data)
       SELECT workspace, ?, content_type, data FROM example_files WHERE key = ? AND workspace = ? RETURNING key`,
  );
  const copies = Object.entries(files).flatMap(([name, key]) => {
    const row = copy.get(example, key, workspace);
    return row === undefined ? [] : [[name, Number(row.key)] as const];
  });
  return Object.fromEntries(copies);
}

/**
 * Stores the new attachments of an example. @returns the attachments of its new version, kept and new ones, as JSON.
 */
export function storeFiles(
  { db }: WriterContext,
  workspace: number,
  example: string,
  files: readonly ExampleFile[],
  before: Record<string, number>,
): string | null {
  const attachments = new Map(Object.entries(before));
  for (const file of files) {
    const { key } = db.insert(
      db.build
        .insertInto('example_files')
        .values({ workspace, example, content_type: file.contentType, data: file.data })
        .returning('key'),
    );
    attachments.set(file.name, key);
  }
  return attachments.size === 0 ? null : JSON.stringify(Object.fromEntries(attachments));
}

/**
 * The attachments that an example keeps. With operations, it keeps only the attachments that these retain or
 * rename. Without operations, it keeps all, or none if the request has new attachments, because these replace
 * the old ones. A new attachment replaces one of the same name. Operations on names that the example does not
 * have do nothing.
 * @throws HttpError 422 when an attachment would have two names, or two attachments the same name.
 */
export function nextAttachments(
  text: StoredJson<Record<string, number>> | null,
  {
    attachments_operations: operations,
    files = [],
  }: Pick<ExampleUpdate, 'attachments_operations'> & { readonly files?: readonly ExampleFile[] },
): Record<string, number> {
  const before = text === null ? {} : parseStored(text);
  if (!operations) return files.length === 0 ? before : {};
  const after = new Map<string, number>();
  for (const [name, key] of Object.entries(before)) {
    const renamed = operations.rename?.[name];
    const isRetained = operations.retain?.includes(name) ?? false;
    if (renamed !== undefined && isRetained) {
      throw invalid(
        ['body', 'attachments_operations'],
        `The attachment '${name}' is retained and renamed. Do one of them.`,
        'duplicate',
      );
    }
    const target = renamed ?? (isRetained ? name : undefined);
    if (target === undefined || files.some((file) => file.name === target)) continue;
    if (after.has(target)) {
      throw invalid(
        ['body', 'attachments_operations'],
        `Two attachments would be named '${target}'. Retain, rename or send only one of them.`,
        'duplicate',
      );
    }
    after.set(target, key);
  }
  return Object.fromEntries(after);
}
