import { runGit } from './run-git.ts';

/** The branches and tags of a repository, newest first. */
export async function listGitRefs(
  top: string,
): Promise<{ readonly name: string; readonly isTag: boolean }[]> {
  const format = '--format=%(refname)';
  const lines = await runGit(top, ['for-each-ref', '--sort=-creatordate', format, 'refs/heads', 'refs/tags']);
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((ref) => ({
      name: ref.replace(/^refs\/(?:heads|tags)\//, ''),
      isTag: ref.startsWith('refs/tags/'),
    }));
}
