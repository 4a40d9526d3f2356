/** Which package manager a Node project's files name, and where it is to run. */
export interface NodePackages {
  readonly manager: 'npm' | 'pnpm' | 'yarn';
  /** The folder of the lockfile, or of the nearest package.json. */
  readonly dir: string;
  readonly lockfile: string | undefined;
  /** The manager's version that package.json names. */
  readonly version: string | undefined;
}

/** How a package manager is run to install what a lockfile says. */
export interface NodeInstall {
  readonly args: readonly string[];
  /** Variables it needs besides those of every build. */
  readonly env: Readonly<Record<string, string>>;
  /** The npm package that has the manager, for machines without one that does. */
  readonly package: string;
  /** Whether the manager does in this version. */
  accepts(version: string): boolean;
}
