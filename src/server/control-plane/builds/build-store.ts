import type { BuildFolder } from './build-folder.ts';

/** A build, by its deployment and key. */
export interface BuildName {
  readonly deploymentId: string;
  readonly key: string;
}

/**
 * Files that servers of a team give each other: uploaded sources, the sources of builds, and builds for machines of the
 * same kind. Whatever is on a server's disk is a copy.
 */
export interface BuildStore {
  /** Stores a tarball that was uploaded to this server. */
  putUpload(folder: BuildFolder, deploymentId: string, id: string): Promise<void>;
  /** Fetches a tarball that was uploaded to any server, unless it is here. */
  getUpload(folder: BuildFolder, deploymentId: string, id: string, signal: AbortSignal): Promise<void>;
  removeUpload(deploymentId: string, id: string): Promise<void>;
  /** Stores the source of a build that failed. */
  putSource(folder: BuildFolder, name: BuildName, signal: AbortSignal): Promise<void>;
  /** Stores a finished build and what it was made from, unless they are there. */
  put(folder: BuildFolder, name: BuildName, signal: AbortSignal): Promise<void>;
  /**
   * Fetches a build that was made on a machine of this kind.
   * @returns false when there is none.
   */
  get(folder: BuildFolder, name: BuildName, signal: AbortSignal): Promise<boolean>;
  /** Fetches what a build was made from. @returns false when it was not stored. */
  getSource(folder: BuildFolder, name: BuildName, signal: AbortSignal): Promise<boolean>;
  /** Removes the builds and sources of a deployment but these. */
  prune(
    deploymentId: string,
    kept: { readonly builds: ReadonlySet<string>; readonly sources: ReadonlySet<string | null> },
  ): Promise<void>;
  /** Removes everything of a deployment. */
  removeAll(deploymentId: string): Promise<void>;
}
