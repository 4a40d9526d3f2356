import path from 'node:path';
import type { GitState } from '../project/git-state.ts';

/** Metadata that names the project whose file contains a dataset's examples, or the project that ran an experiment. */
export const PROJECT_KEY = 'agent_harbor_project';

/** Metadata that names the project's file with a dataset's examples, as a path from the folder of langgraph.json. */
export const FILE_KEY = 'agent_harbor_file';

/** Metadata that names the version of a dataset that its file's last upload created. */
export const UPLOADED_KEY = 'agent_harbor_uploaded';

/**
 * The identity of a project, the same on all machines: the remote of its repository and the folder in it, such as
 * `github.com/acme/agents/refunds`. Without a remote it is a path, which all worktrees of a repository share.
 */
export function identifyProject({ top, configPath, remoteUrl, repository }: GitState): string {
  const folder = path.posix.dirname(configPath);
  const base = (remoteUrl && placeOf(remoteUrl)) ?? repository ?? top;
  return folder === '.' ? base : `${base}/${folder}`;
}

/**
 * Host and path of a remote, whatever its protocol; undefined for a path, which has no meaning on other machines.
 */
function placeOf(remote: string): string | undefined {
  const [, host, file] = /^(?:[^@/]+@)?([^:/\\]{2,}):(?!\/\/)(.+)$/.exec(remote) ?? [];
  const url = URL.parse(host === undefined ? remote : `ssh://${host}/${file}`);
  if (url === null || url.hostname === '') return undefined;
  return `${url.hostname.toLowerCase()}/${url.pathname.replace(/^\/+/, '').replace(/\/*(?:\.git)?\/*$/, '')}`;
}

/**
 * The names that a project's dataset may have on the platform, in order: another project may have a dataset of
 * that name there, and names are unique.
 */
export function platformNames(name: string, project: string): readonly string[] {
  const folder = /[^\\/]*$/.exec(project)?.[0] ?? '';
  return [name, `${name} (${folder})`, `${name} (${project})`];
}
