import path from 'node:path';
import { z } from 'zod';
import { exists } from '../process/exists.ts';
import type { NodeInstall, NodeManager } from '../project/install/node-install.ts';
import { findNodeManager, nodeInstall } from '../project/install/node-manager.ts';
import { readText } from '../project/read-text.ts';
import { type ProjectPlace, prefixOf, relativeTo } from './project-place.ts';

/** The source of a project's Node packages. Paths are relative to the context. */
export interface NodePart {
  readonly manager: NodeManager['manager'];
  readonly install: NodeInstall;
  readonly hasLockfile: boolean;
  /** The folder in which the package manager runs. */
  readonly dir: string;
  /** Manifests, lockfiles and settings, which the installation needs. */
  readonly files: readonly string[];
  /** Settings with credentials, which exist only while packages are installed. */
  readonly secretFiles: readonly string[];
  /** Whether the project's own scripts, which need its sources, run during the installation. */
  readonly runsOwnScripts: boolean;
}

/** The source of Node packages before the context is known. */
export interface FoundNodePart {
  /** Absolute paths that the context must contain. */
  readonly folders: readonly string[];
  /**
   * @param deciding every file in the context that decides what is installed.
   * @param credentials the files in `deciding` that contain credentials.
   */
  inContext(
    context: string,
    deciding: readonly string[],
    credentials: ReadonlySet<string>,
  ): Promise<NodePart>;
}

const DECIDING =
  /(?:^|\/)(?:package\.json|package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|pnpm-workspace\.yaml|yarn\.lock|bun\.lockb?|bunfig\.toml|\.npmrc|\.yarnrc(?:\.yml)?|\.pnpmfile\.cjs|[^/]*\.patch|[^/]*\.tgz)$/;
const OWN_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare'];

const Manifest = z.looseObject({
  scripts: z.record(z.string(), z.string()).optional(),
  workspaces: z.unknown().optional(),
});

/**
 * Finds the package.json and the package manager of a project.
 * @returns undefined when there is no package.json.
 * @throws BuildError
 */
export async function readNodePart({ dir, top }: ProjectPlace): Promise<FoundNodePart | undefined> {
  const packages = await findNodeManager(dir, top);
  if (packages === undefined) return undefined;
  const install = await nodeInstall(packages);
  return {
    folders: [packages.dir],
    inContext: async (context, deciding, credentials) => {
      const own = relativeTo(context, packages.dir);
      const prefix = prefixOf(own);
      const hasWorkspaces = await isWorkspace(packages.dir);
      // Without workspaces, manifests in other folders belong to other packages; patches may be anywhere.
      const files = deciding.filter(
        (file) =>
          file.startsWith(prefix) &&
          DECIDING.test(file) &&
          (hasWorkspaces || !file.slice(prefix.length).includes('/') || file.endsWith('.patch')),
      );
      let runsOwnScripts = false;
      for (const file of files) {
        if (!file.endsWith('package.json')) continue;
        if (hasOwnScripts(await readText(path.join(context, file)))) runsOwnScripts = true;
      }
      return {
        manager: packages.manager,
        install,
        hasLockfile: packages.lockfile !== undefined,
        dir: own,
        files: files.filter((file) => !credentials.has(file)),
        secretFiles: files.filter((file) => credentials.has(file)),
        runsOwnScripts,
      };
    },
  };
}

/** Whether the packages of other folders are installed too. */
async function isWorkspace(dir: string): Promise<boolean> {
  if (await exists(path.join(dir, 'pnpm-workspace.yaml'))) return true;
  return manifestOf(await readText(path.join(dir, 'package.json')))?.workspaces !== undefined;
}

function hasOwnScripts(text: string): boolean {
  const scripts = manifestOf(text)?.scripts ?? {};
  return OWN_SCRIPTS.some((name) => name in scripts);
}

function manifestOf(text: string): z.output<typeof Manifest> | undefined {
  try {
    return Manifest.parse(JSON.parse(text));
  } catch {
    // The package manager reports what is wrong with the file.
    return undefined;
  }
}
