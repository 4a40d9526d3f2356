import { basename, isAbsolute, posix } from 'node:path';
import type { SourcePlace } from '../../deploy/wanted-source.ts';
import { type GitState, readGitState } from '../../project/git-state.ts';
import { findConfig } from './open-folder.ts';

/**
 * Where the `langgraph.json` of a git repository is: the path as given, below the repository's top. In a checkout
 * of that repository, and for an absolute path, it is read from the file on this machine.
 * @param config a path, or the folder of the file.
 * @throws Failure when there is no file at an absolute path.
 */
export async function placeInRepository(repository: string, config: string): Promise<SourcePlace> {
  const state = await describeLocalState(config);
  const top = nameOf(repository);
  if (state !== undefined && (isAbsolute(config) || isCheckoutOf(state, repository))) {
    return { top, configPath: state.configPath };
  }
  const path = posix.normalize(config.replaceAll('\\', '/')).replace(/\/$/, '');
  return { top, configPath: path.endsWith('.json') ? path : posix.join(path, 'langgraph.json') };
}

async function describeLocalState(config: string): Promise<GitState | undefined> {
  try {
    return await readGitState(await findConfig(config));
  } catch (error) {
    if (isAbsolute(config)) throw error;
    return undefined;
  }
}

function isCheckoutOf({ remoteUrl }: GitState, repository: string): boolean {
  return remoteUrl !== undefined && withoutEnding(remoteUrl) === withoutEnding(repository);
}

/** `agents` of `https://example.com/team/agents.git`. */
function nameOf(repository: string): string {
  return basename(withoutEnding(repository).replaceAll(':', '/'));
}

function withoutEnding(repository: string): string {
  return repository.replace(/\/+$/, '').replace(/\.git$/, '');
}
