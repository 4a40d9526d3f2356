import type { OpenFolder } from '../../extension/panels/webview-rpc.ts';

/**
 * The path of a file relative to the open folder that contains it. If several folders are open, it begins with the name
 * of the folder, as in VS Code. The path of any other file is returned unchanged.
 */
export function shortPath(file: string, folders: readonly OpenFolder[]): string {
  const candidates = folders.flatMap(({ name, path }) => {
    const below = pathBelow(path, file);
    return below === undefined ? [] : [{ name, below }];
  });
  // If open folders are nested, the innermost one counts.
  const [inner] = candidates.toSorted((a, b) => a.below.length - b.below.length);
  if (inner === undefined) return file;
  return folders.length === 1
    ? inner.below
    : `${inner.name}${file.includes('\\') ? '\\' : '/'}${inner.below}`;
}

/** The part of a path below a folder; `undefined` outside. On Windows, neither case nor the kind of slash matters. */
function pathBelow(folder: string, file: string): string | undefined {
  const isWindows = /^(?:[A-Za-z]:|\\\\)/.test(folder);
  const comparable = (path: string) => (isWindows ? path.replaceAll('\\', '/').toLowerCase() : path);
  const prefix = `${comparable(folder).replace(/\/$/, '')}/`;
  return comparable(file).startsWith(prefix) ? file.slice(prefix.length) : undefined;
}
