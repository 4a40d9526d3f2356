import type { DeploymentFolder } from './deployment-folder.ts';

/** A build, by its deployment and key. */
export interface BuildName {
  readonly deploymentId: string;
  readonly key: string;
}

/**
 * The files of deployments that servers of a team share: uploaded sources, the sources of builds, and builds for machines
 * of the same kind. Each server has copies on its disk, in the deployment's `DeploymentFolder`.
 */
export interface BuildStore {
  /** Stores a tarball that was uploaded to this server. */
  putUpload(folder: DeploymentFolder, deploymentId: string, id: string): Promise<void>;
  /** Fetches a tarball that was uploaded to any server, unless it is on disk, or is not stored. */
  getUpload(folder: DeploymentFolder, deploymentId: string, id: string, signal: AbortSignal): Promise<void>;
  removeUpload(deploymentId: string, id: string): Promise<void>;
  /** Stores the source of a build that failed. */
  putSource(folder: DeploymentFolder, name: BuildName, signal: AbortSignal): Promise<void>;
  /** Stores a finished build and its source, unless they are already stored. */
  put(folder: DeploymentFolder, name: BuildName, signal: AbortSignal): Promise<void>;
  /**
   * Fetches a build that was made on a machine of this kind.
   * @returns false when there is none.
   */
  get(folder: DeploymentFolder, name: BuildName, signal: AbortSignal): Promise<boolean>;
  /** Fetches the source of a build. @returns false when it was not stored. */
  getSource(folder: DeploymentFolder, name: BuildName, signal: AbortSignal): Promise<boolean>;
  /** Removes all builds and sources of a deployment except these. */
  prune(
    deploymentId: string,
    kept: { readonly builds: ReadonlySet<string>; readonly sources: ReadonlySet<string> },
  ): Promise<void>;
  /** Removes everything that belongs to a deployment. */
  removeAll(deploymentId: string): Promise<void>;
}
