import type { GitState } from '../project/git-state.ts';

/**
 * The metadata of an experiment about the code that it ran, with the names that LangSmith's `evaluate` uses.
 * @returns an empty object outside a repository
 */
export function gitMetadataOf({ commit, branch, changed, remoteUrl }: GitState): Record<string, unknown> {
  if (commit === undefined) return {};
  return {
    revision_id: changed === 0 ? commit : `${commit}-dirty`,
    git: {
      commit,
      ...(branch === undefined ? {} : { branch }),
      ...(remoteUrl === undefined ? {} : { remote_url: withoutCredentials(remoteUrl) }),
      dirty: changed > 0,
    },
  };
}

/** Removes the credentials from the URL of a remote, up to the last `@`: a password may contain others. */
function withoutCredentials(url: string): string {
  return url.replace(/^(\w+:\/\/)[^/]*@/, '$1');
}
