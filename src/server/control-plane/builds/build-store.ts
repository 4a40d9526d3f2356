import type { BuildFolder } from './build-folder.ts';

/** A build, by its deployment and key. */
export interface BuildName {
  readonly deploymentId: string;
  readonly key: string;
}

/**
 * Files that servers of a team share: uploaded sources, the sources of builds, and builds for machines of the same
 * kind. Files on a server's disk are copies.
 */
export interface BuildStore {
  /** Stores a tarball that was uploaded to this server. */
  putUpload(folder: BuildFolder, deploymentId: string, id: string): Promise<void>;
  /** Fetches a tarball that was uploaded to any server, unless it is on disk. */
  getUpload(folder: BuildFolder, deploymentId: string, id: string, signal: AbortSignal): Promise<void>;
  removeUpload(deploymentId: string, id: string): Promise<void>;
  /** Stores the source of a build that failed. */
  putSource(folder: BuildFolder, name: BuildName, signal: AbortSignal): Promise<void>;
  /** Stores a finished build and its source, unless they are already stored. */
  put(folder: BuildFolder, name: BuildName, signal: AbortSignal): Promise<void>;
  /**
   * Fetches a build that was made on a machine of this kind.
   * @returns false when there is none.
   */
  get(folder: BuildFolder, name: BuildName, signal: AbortSignal): Promise<boolean>;
  /** Fetches the source of a build. @returns false when it was not stored. */
  getSource(folder: BuildFolder, name: BuildName, signal: AbortSignal): Promise<boolean>;
  /** Removes all builds and sources of a deployment except these. */
  prune(
    deploymentId: string,
    kept: { readonly builds: ReadonlySet<string>; readonly sources: ReadonlySet<string | null> },
  ): Promise<void>;
  /** Removes everything that belongs to a deployment. */
  removeAll(deploymentId: string): Promise<void>;
}
