/** A large part of a request, which is on this machine's disk. */
export interface StagedFile {
  readonly staged: string;
  /** The object of a store that has its contents too. */
  readonly object?: string | undefined;
  /** Whether its beginning is read for searches and previews. */
  readonly isText?: boolean;
}

/** So much of a blob is at hand wherever the rest of it is, if it is text. */
export const HEAD_BYTES = 256 * 1024;

/**
 * Large payloads by name, `ttl_<N>d/<trace id>/<uuid>`, below their retention. Used in the storage thread, where waiting
 * blocks nothing else.
 */
export interface BlobStore {
  /** The spooled body of a request, which is on this machine's disk. */
  readStaged(staged: string): Buffer;
  /** Takes over a staged file. @returns its new name. */
  keep(file: StagedFile, ttlDays: number, traceId: string): string;
  /** Moves a blob to the prefix of another retention. @returns its new name. */
  move(name: string, ttlDays: number): string;
  /**
   * The first bytes of a blob, all of it by default; `undefined` when it is gone, or has to be fetched from an object store
   * first: then the caller's operation is called again.
   */
  read(name: string, limit?: number): Buffer | undefined;
  has(name: string): boolean;
  remove(name: string): void;
  /** Has objects that were uploaded for a request, and are in no blob when it is stored, removed soon. */
  letGo(objects: readonly string[]): void;
  /** Removes all blobs of a trace, including replaced ones. */
  removeTrace(traceId: string): void;
  /** How many there are of a trace, named by anything or not. */
  countOf(traceId: string): number;
  /** Removes what a crash left without its trace. @param isKnown whether there is a trace with an id. */
  sweep(isKnown: (traceId: string) => boolean): void;
}

/** The name of a new blob, or of one that is moved. */
export function blobName(ttlDays: number, traceId: string, file: string): string {
  return `ttl_${ttlDays}d/${traceId}/${file}`;
}
