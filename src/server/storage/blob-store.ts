/** A large part of a request, in a temporary file on this machine. */
export interface StagedFile {
  /** The file's path. */
  readonly staged: string;
  /** The object in the object store that has the same contents. */
  readonly object?: string | undefined;
  /** Whether the beginning of the file is read for searches and previews. */
  readonly isText?: boolean;
}

/** How much of a text blob is stored in the database, wherever the blob is. */
export const HEAD_BYTES = 256 * 1024;

/**
 * Stores large payloads of traces as blobs. A blob's name is `ttl_<days>d/<trace id>/<uuid>`, where the days are the
 * retention. The methods are synchronous, for threads that only wait for their database.
 */
export interface BlobStore {
  /** Reads a staged file. @param staged its path. */
  readStaged(staged: string): Buffer;
  /** Makes a blob from a staged file. @returns the blob's name. */
  keep(file: StagedFile, ttlDays: number, traceId: string): string;
  /** Gives a blob another retention. @returns its new name. */
  move(name: string, ttlDays: number): string;
  /**
   * Reads a blob. @param limit how many bytes to read; all by default.
   * @returns undefined if the blob does not exist, or if it must be fetched from an object store first: the operation is
   * then called again.
   */
  read(name: string, limit?: number): Buffer | undefined;
  has(name: string): boolean;
  remove(name: string): void;
  /** Schedules the removal of objects that were uploaded for a request and did not become blobs. */
  letGo(objects: readonly string[]): void;
  /** Removes all blobs of a trace, including those that no row refers to. */
  removeTrace(traceId: string): void;
  /** The number of blobs of a trace, including those that no row refers to. */
  countOf(traceId: string): number;
  /** Removes blobs whose trace does not exist, which a crash may have left. @param isKnown whether a trace exists. */
  sweep(isKnown: (traceId: string) => boolean): void;
}

/** The name of a blob. */
export function blobName(ttlDays: number, traceId: string, file: string): string {
  return `ttl_${ttlDays}d/${traceId}/${file}`;
}
