import { readGitState } from '../project/git-state.ts';

/**
 * Metadata of an experiment that says which code it ran, with the names that LangSmith's `evaluate` uses.
 * @param config real path of a langgraph.json.
 * @returns empty outside a repository.
 */
export async function readGitMetadata(config: string): Promise<Record<string, unknown>> {
  const { commit, branch, changed, remoteUrl } = await readGitState(config);
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

/** A remote's URL may contain a token. */
function withoutCredentials(url: string): string {
  return url.replace(/^(\w+:\/\/)[^/@]*@/, '$1');
}
