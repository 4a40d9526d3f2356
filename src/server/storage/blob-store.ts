/** A large part of a request, which is on this machine's disk. */
export interface StagedFile {
  readonly staged: string;
  /** The object in the store with the same contents. */
  readonly object?: string | undefined;
  /** Whether the beginning of the file is read for searches and previews. */
  readonly isText?: boolean;
}

/** How much of a text blob is stored locally, wherever the rest is. */
export const HEAD_BYTES = 256 * 1024;

/**
 * Large payloads by name, `ttl_<N>d/<trace id>/<uuid>`, below their retention. Used on the storage thread, where
 * waiting does not block anything else.
 */
export interface BlobStore {
  /** The spooled body of a request, which is on this machine's disk. */
  readStaged(staged: string): Buffer;
  /** Takes over a staged file. @returns its new name. */
  keep(file: StagedFile, ttlDays: number, traceId: string): string;
  /** Moves a blob to the prefix of another retention. @returns its new name. */
  move(name: string, ttlDays: number): string;
  /**
   * The first bytes of a blob, or all of it by default; `undefined` if it does not exist, or if it has to be fetched
   * from an object store first, after which the caller's operation is called again.
   */
  read(name: string, limit?: number): Buffer | undefined;
  has(name: string): boolean;
  remove(name: string): void;
  /** Schedules the removal of objects that were uploaded for a request but belong to no blob once it is stored. */
  letGo(objects: readonly string[]): void;
  /** Removes all blobs of a trace, including replaced ones. */
  removeTrace(traceId: string): void;
  /** The number of blobs that a trace has, referenced or not. */
  countOf(traceId: string): number;
  /**
   * Removes blobs that a crash left without their trace. @param isKnown whether a trace with an id exists.
   */
  sweep(isKnown: (traceId: string) => boolean): void;
}

/** The name of a new or moved blob. */
export function blobName(ttlDays: number, traceId: string, file: string): string {
  return `ttl_${ttlDays}d/${traceId}/${file}`;
}
