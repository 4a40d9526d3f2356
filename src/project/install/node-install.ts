import type { FoundManager } from './package-manager.ts';

/** The package manager of a Node project, and where to run it. */
export type NodeManager = Pick<FoundManager, 'manager' | 'dir' | 'lockfile' | 'version'>;

/** How to install the packages of a project with its package manager. */
export interface NodeInstall {
  readonly args: readonly string[];
  /** Variables that the package manager needs in addition to those of every build. */
  readonly env: Readonly<Record<string, string>>;
  /** The npm package from which the manager is run if it is not installed. */
  readonly package: string;
  /** Whether this version of the manager can be used. */
  accepts(version: string): boolean;
}
