import path from 'node:path';
import { type CompletionItem, CompletionItemKind, type Range } from 'vscode-languageserver';
import { fileOfPlace } from '../project/checks/check-references.ts';
import type { ConfigDocument } from '../project/config-document.ts';
import { readModuleExports } from '../project/exports/module-exports.ts';
import type { FileKind, ProjectFiles } from '../project/project-files.ts';
import { sourceLanguage, splitReference } from '../project/reference.ts';
import type { ReferenceAt } from './reference-at.ts';

export interface ReferenceCompletionParts {
  readonly files: ProjectFiles;
  /** The editor's command that offers completions, run after a folder or a file has been chosen. */
  readonly suggestCommand?: string | undefined;
}

const IGNORED_FOLDERS = new Set(['node_modules', 'dist', 'build', 'venv', '__pycache__']);

/** Offers the files, folders and exports that complete a reference. */
export async function completeReference(
  parts: ReferenceCompletionParts,
  config: ConfigDocument,
  reference: ReferenceAt,
): Promise<CompletionItem[]> {
  const { kind, text, at } = reference;
  const namesExport = kind === 'graph' || kind === 'export' || kind === 'embedding';
  const { place, exportName } = splitReference(text.slice(0, at));
  if (namesExport && exportName !== undefined) {
    return completeExport(parts, config, place, rangeIn(config, reference, place.length + 1, text.length));
  }
  return completePath(parts, config, reference, namesExport);
}

/** Offers the exports of a file that may be graphs. */
async function completeExport(
  { files }: ReferenceCompletionParts,
  config: ConfigDocument,
  place: string,
  range: Range,
): Promise<CompletionItem[]> {
  const file = await fileOfPlace({ config, files }, place);
  const exported = file === undefined ? undefined : await readModuleExports(files, file);
  return [...(exported?.names ?? [])]
    .filter(([name, { notAGraph }]) => notAGraph === undefined && !name.startsWith('_'))
    .map(([name]) => ({
      label: name,
      kind: CompletionItemKind.Reference,
      detail: place,
      textEdit: { range, newText: name },
      // Editors filter by the whole text of the range.
      filterText: name,
    }));
}

/** Offers the files and folders below the part of a reference before its last slash. */
async function completePath(
  { files, suggestCommand }: ReferenceCompletionParts,
  config: ConfigDocument,
  reference: ReferenceAt,
  namesExport: boolean,
): Promise<CompletionItem[]> {
  const { kind, text, at } = reference;
  const slash = text.lastIndexOf('/', at - 1) + 1;
  const folder = text.slice(0, slash);
  const end = namesExport ? splitReference(text).place.length : text.length;
  const range = rangeIn(config, reference, slash, Math.max(end, at));
  const needsExport = namesExport && text[end] !== ':';
  const prefix = folder === '' && (namesExport || kind === 'dependency') ? './' : '';
  const suggestAgain =
    suggestCommand === undefined ? {} : { command: { title: 'Suggest', command: suggestCommand } };

  const item = (name: string, entry: FileKind): CompletionItem => {
    const suffix = entry === 'folder' ? '/' : needsExport ? ':' : '';
    const newText = prefix + name + suffix;
    return {
      label: prefix + name + (entry === 'folder' ? '/' : ''),
      kind: entry === 'folder' ? CompletionItemKind.Folder : CompletionItemKind.File,
      // Files come before folders.
      sortText: `${entry === 'folder' ? 1 : 0}${name}`,
      filterText: newText,
      textEdit: { range, newText },
      ...(suffix === '' ? {} : suggestAgain),
    };
  };
  const entries = await files.list(path.resolve(config.dir, folder));
  const items = entries
    .filter(({ name, kind: entry }) => isWanted(kind, name, entry))
    .map(({ name, kind: entry }) => item(name, entry));
  const self: CompletionItem = { label: '.', detail: 'this project', textEdit: { range, newText: '.' } };
  return kind === 'dependency' && folder === '' ? [self, ...items] : items;
}

function isWanted(kind: ReferenceAt['kind'], name: string, entry: FileKind): boolean {
  if (kind === 'env-file') return entry === 'file' && name.startsWith('.env');
  if (entry === 'folder') return !name.startsWith('.') && !IGNORED_FOLDERS.has(name);
  switch (kind) {
    case 'graph':
    case 'export':
    case 'embedding':
      return sourceLanguage(name) !== undefined && !name.endsWith('.d.ts');
    case 'file':
      return true;
    case 'folder':
    case 'dependency':
      return false;
  }
}

function rangeIn({ document }: ConfigDocument, { node }: ReferenceAt, from: number, to: number): Range {
  return {
    start: document.positionAt(node.offset + 1 + from),
    end: document.positionAt(node.offset + 1 + to),
  };
}
