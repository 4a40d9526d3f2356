import path from 'node:path';
import type { GitState } from '../project/git-state.ts';
import { placeOfRemote } from './place-of-remote.ts';

/** The metadata key for the project that a dataset or an experiment belongs to. */
export const PROJECT_KEY = 'agent_harbor_project';

/** The metadata key for the file with the examples of a dataset: a path relative to the folder of langgraph.json. */
export const FILE_KEY = 'agent_harbor_file';

/** The metadata key for the version of a dataset that the last upload of its file created. */
export const UPLOADED_KEY = 'agent_harbor_uploaded';

/**
 * The identity of a project, the same on all machines: the remote of its repository and the folder in it, such as
 * `github.com/acme/agents/refunds`. Without a remote it is a path, which all worktrees of a repository share.
 */
export function identifyProject({ top, configPath, remoteUrl, repository }: GitState): string {
  const folder = path.posix.dirname(configPath);
  const base = (remoteUrl && placeOfRemote(remoteUrl)) ?? repository ?? top;
  return folder === '.' ? base : `${base}/${folder}`;
}

/**
 * The names that the dataset of a project may have on the platform, the preferred one first. Names are unique there, and
 * another project may have a dataset of the same name.
 */
export function platformNames(name: string, project: string): readonly string[] {
  const folder = /[^\\/]*$/.exec(project)?.[0] ?? '';
  return [name, `${name} (${folder})`, `${name} (${project})`];
}
