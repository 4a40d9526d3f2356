import { runGit } from './run-git.ts';

/** Initializes a repository in a folder, unless the folder is in one or git is missing. */
export async function beginRepository(folder: string): Promise<void> {
  const isInside = await runGit(folder, ['rev-parse', '--show-toplevel']).then(
    () => true,
    () => false,
  );
  // Without git, the folder does not become a repository.
  if (!isInside) await runGit(folder, ['init', '--quiet']).catch(() => {});
}
