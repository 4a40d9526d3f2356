import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { formatCount } from '../../../process/format-count.ts';
import { DeploymentFolder } from '../../control-plane/builds/deployment-folder.ts';
import { SharedBuilds } from '../deployments/shared-builds.ts';
import type { Objects } from '../objects/objects.ts';
import type { SourceFolder } from './source-folder.ts';

/**
 * The files for a team's object store: finished builds of revisions, and tarballs that are waiting to be built.
 */
export interface MovedFiles {
  readonly builds: readonly { readonly deploymentId: string; readonly key: string }[];
  readonly uploads: readonly { readonly deploymentId: string; readonly id: string }[];
}

/** The numbers of files, in words. */
export function describeFiles({ builds, uploads }: MovedFiles): string {
  return `${formatCount(builds.length, 'build')}, ${formatCount(uploads.length, 'upload')}`;
}

/** Finds the files that rows of a folder refer to. */
export async function findFiles(source: SourceFolder): Promise<MovedFiles> {
  const builds = new Map<string, MovedFiles['builds'][number]>();
  for (const { deployment_id, build_key } of source.rows('revisions')) {
    if (build_key === null || build_key === undefined) continue;
    const build = { deploymentId: String(deployment_id), key: String(build_key) };
    if ((await folderOf(source, build.deploymentId).find(build.key)) !== undefined)
      builds.set(`${build.deploymentId} ${build.key}`, build);
  }
  const uploads = [...source.rows('uploads')]
    .map(({ deployment_id, id }) => ({ deploymentId: String(deployment_id), id: String(id) }))
    .filter(({ deploymentId, id }) => existsSync(folderOf(source, deploymentId).upload(id)));
  return { builds: [...builds.values()], uploads };
}

/** Stores the files that are not stored yet. */
export async function moveFiles(source: SourceFolder, files: MovedFiles, objects: Objects): Promise<void> {
  const shared = new SharedBuilds(objects);
  const { signal } = new AbortController();
  for (const build of files.builds) {
    const staging = await mkdtemp(path.join(tmpdir(), 'agent-harbor-move-'));
    try {
      await shared.put(folderOf(source, build.deploymentId), build, signal, staging);
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  }
  for (const { deploymentId, id } of files.uploads)
    await shared.putUpload(folderOf(source, deploymentId), deploymentId, id);
}

/**
 * Fetches a team's builds and uploads.
 * @returns the builds that do not run on this machine, and were not fetched.
 */
export async function fetchFiles(
  dataDir: string,
  files: MovedFiles,
  objects: Objects,
): Promise<MovedFiles['builds']> {
  const shared = new SharedBuilds(objects);
  const { signal } = new AbortController();
  const missing = [];
  for (const build of files.builds) {
    const folder = new DeploymentFolder(dataDir, build.deploymentId);
    await folder.prepare();
    await shared.getSource(folder, build, signal);
    if (!(await shared.get(folder, build, signal))) missing.push(build);
  }
  for (const { deploymentId, id } of files.uploads)
    await shared.getUpload(new DeploymentFolder(dataDir, deploymentId), deploymentId, id, signal);
  return missing;
}

function folderOf({ dataDir }: SourceFolder, deploymentId: string): DeploymentFolder {
  return new DeploymentFolder(dataDir, deploymentId);
}
