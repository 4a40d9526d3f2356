import path from 'node:path';

/** The location of a project, for the readers of its parts. */
export interface ProjectPlace {
  /** Absolute path of the folder of langgraph.json. */
  readonly dir: string;
  /** Absolute path of the outermost folder that may be in the context. */
  readonly top: string;
}

/** A path below a folder, with slashes; `.` for the folder itself. */
export function relativeTo(folder: string, file: string): string {
  return path.relative(folder, file).split(path.sep).join('/') || '.';
}

/**
 * The common prefix of all paths in a folder.
 * @param folder as returned by `relativeTo`.
 */
export function prefixOf(folder: string): string {
  return folder === '.' ? '' : `${folder}/`;
}
