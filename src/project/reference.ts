import path from 'node:path';

/** A parsed `file:export` of langgraph.json. */
export interface Reference {
  /** The part before the colon, as written: a path, or a Python module name. */
  readonly place: string;
  /** Undefined without a colon. */
  readonly exportName: string | undefined;
}

export type SourceLanguage = 'javascript' | 'python';

/** Splits `file:export` at its last colon, unless that belongs to a drive letter or is followed by more of a path. */
export function splitReference(text: string): Reference {
  const colon = text.lastIndexOf(':');
  const isSeparator = colon > 0 && !/[\\/]/.test(text.slice(colon + 1));
  return isSeparator
    ? { place: text.slice(0, colon), exportName: text.slice(colon + 1) }
    : { place: text, exportName: undefined };
}

/** The language of a source file; undefined when no runtime loads it. */
export function sourceLanguage(file: string): SourceLanguage | undefined {
  if (/\.[cm]?[jt]sx?$/.test(file)) return 'javascript';
  return file.endsWith('.py') ? 'python' : undefined;
}

/** Whether a place is the name of a Python module (`package.agent`) and not a path. */
export function isModuleName(place: string): boolean {
  return /^[\w.]+$/.test(place) && sourceLanguage(place) === undefined && !place.startsWith('.');
}

/**
 * Whether a text names a model, such as `openai:text-embedding-3-small`. A file's name would have a dot
 * before the colon.
 */
export function isProviderAndModel(text: string): boolean {
  return /^[a-z][a-z0-9_]+:./.test(text);
}

/** The language of the source that a reference names; undefined when no runtime loads it. */
export function referenceLanguage(reference: string): SourceLanguage | undefined {
  const { place } = splitReference(reference);
  return isModuleName(place) ? 'python' : sourceLanguage(place);
}

/** The files that a Python module of the project could be in. */
export function moduleFiles(dir: string, name: string): string[] {
  const parts = name.split('.');
  return [dir, path.join(dir, 'src')].flatMap((root) => [
    path.join(root, ...parts.slice(0, -1), `${parts.at(-1)}.py`),
    path.join(root, ...parts, '__init__.py'),
  ]);
}
