import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { InstallChoice } from '../../../contract/harbor.ts';
import { listFoldersAround } from '../../../project/folders-around.ts';
import { findPackageManager, type PackageManager } from '../../../project/install/package-manager.ts';
import { filesOnDisk } from '../../../project/project-files.ts';
import type { GraphStatus } from '../../../runtime/protocol/protocol.ts';
import { missingPackage } from './missing-package.ts';

const Dependencies = z.record(z.string(), z.unknown()).optional();
const Manifest = z.looseObject({
  dependencies: Dependencies,
  devDependencies: Dependencies,
  peerDependencies: Dependencies,
  optionalDependencies: Dependencies,
});

/**
 * How to install missing packages of Node graphs, with the project's own package manager. Nothing if the
 * `package.json` files declare none of them: a name may be misspelled, and undeclared packages would be
 * missing on other machines. Without a `package.json`, only LangGraph itself.
 * @param dir the folder of `langgraph.json`; manifests and lockfiles are looked for from there upwards.
 */
export async function nodeInstallChoices(
  dir: string,
  graphs: readonly GraphStatus[],
): Promise<InstallChoice[]> {
  const missing = graphs.flatMap((graph) =>
    graph.status === 'failed' ? (missingPackage(graph.error) ?? []) : [],
  );
  if (missing.length === 0) return [];
  const { tool, declared } = await readNodeProject(dir);
  if (declared === undefined) {
    const langgraph = missing.some((name) => name.startsWith('@langchain/'));
    return langgraph
      ? [{ tool: 'npm', steps: [['npm', 'install', '@langchain/langgraph', '@langchain/core']] }]
      : [];
  }
  return missing.some((name) => declared.has(name)) ? [{ tool, steps: [[tool, 'install']] }] : [];
}

/** The manifests that a folder's packages come from. */
interface NodeProject {
  /** The package manager that the files determine, or npm. */
  readonly tool: PackageManager;
  /** The packages that the manifests above the folder declare; undefined if there are no manifests. */
  readonly declared: ReadonlySet<string> | undefined;
  /** The innermost package.json. */
  readonly manifest: string | undefined;
}

/** Reads the manifests above a folder: the packages that they declare, and the tool that installs them. */
export async function readNodeProject(dir: string): Promise<NodeProject> {
  let declared: Set<string> | undefined;
  let innermost: string | undefined;
  const folders = await listFoldersAround(dir);
  for (const folder of folders) {
    const manifest = await readManifest(path.join(folder, 'package.json'));
    if (manifest !== undefined) {
      innermost ??= path.join(folder, 'package.json');
      declared ??= new Set();
      for (const name of namesIn(manifest)) declared.add(name);
    }
  }
  const found = await findPackageManager(filesOnDisk, folders);
  return { tool: found?.manager ?? 'npm', declared, manifest: innermost };
}

function namesIn(manifest: z.output<typeof Manifest>): string[] {
  const { dependencies, devDependencies, peerDependencies, optionalDependencies } = manifest;
  return [dependencies, devDependencies, peerDependencies, optionalDependencies].flatMap((packages) =>
    Object.keys(packages ?? {}),
  );
}

/** Reads a package.json. One that is missing or not valid declares nothing. */
async function readManifest(file: string): Promise<z.output<typeof Manifest> | undefined> {
  try {
    return Manifest.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined;
  }
}
