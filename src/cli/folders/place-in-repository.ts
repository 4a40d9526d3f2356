import { basename, isAbsolute, posix } from 'node:path';
import type { SourcePlace } from '../../deploy/wanted-source.ts';
import { type GitState, readGitState } from '../../project/git-state.ts';
import { findConfig } from './open-folder.ts';

/**
 * The path of a `langgraph.json` in a git repository.
 * @param config the path of the file or its folder: relative to the current folder if that is in a checkout of the
 * repository, else relative to the top of the repository; or an absolute path on this machine
 * @throws Failure when there is no file at an absolute path
 */
export async function placeInRepository(repository: string, config: string): Promise<SourcePlace> {
  const state = await readLocalState(config);
  const top = nameOf(repository);
  if (state !== undefined && (isAbsolute(config) || isCheckoutOf(state, repository))) {
    return { top, configPath: state.configPath };
  }
  const path = posix.normalize(config.replaceAll('\\', '/')).replace(/\/$/, '');
  return { top, configPath: path.endsWith('.json') ? path : posix.join(path, 'langgraph.json') };
}

async function readLocalState(config: string): Promise<GitState | undefined> {
  try {
    return await readGitState(await findConfig(config));
  } catch (error) {
    if (isAbsolute(config)) throw error;
    // A relative path may exist only in the repository.
    return undefined;
  }
}

function isCheckoutOf({ remoteUrl }: GitState, repository: string): boolean {
  return remoteUrl !== undefined && withoutEnding(remoteUrl) === withoutEnding(repository);
}

/** The name of a repository: `agents` for `https://example.com/team/agents.git`. */
function nameOf(repository: string): string {
  return basename(withoutEnding(repository).replaceAll(':', '/'));
}

/** The URL without slashes and `.git` at its end. */
function withoutEnding(repository: string): string {
  return repository.replace(/\/+$/, '').replace(/\.git$/, '');
}
