import path from 'node:path';

/** Where a project is, for what reads its parts. */
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

/** The beginning of the paths of everything in a folder. @param folder as of `relativeTo`. */
export function prefixOf(folder: string): string {
  return folder === '.' ? '' : `${folder}/`;
}
