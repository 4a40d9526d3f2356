import { cp, stat, symlink } from 'node:fs/promises';
import path from 'node:path';
import { ifPresent } from './if-present.ts';

/**
 * Makes a symbolic link. Where that is not permitted, it copies the target: on Windows, links to files need developer
 * mode or the rights of an administrator.
 * @param target absolute, or relative to the folder of the link.
 * @param source the target as an absolute path; nothing is copied if it does not exist.
 * @param to the path of the link, or of the copy.
 * @param filter chooses the files and folders to copy, by their names.
 * @param link makes links; tests pass one that fails with EPERM.
 * @throws NodeJS.ErrnoException
 */
export async function linkOrCopy(
  { target, source, to }: { readonly target: string; readonly source: string; readonly to: string },
  filter: (name: string) => boolean = () => true,
  link: (target: string, to: string) => Promise<void> = symlink,
): Promise<void> {
  try {
    await link(target, to);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) throw error;
    if ((await ifPresent(stat(source))) === undefined) return;
    await cp(source, to, {
      recursive: true,
      dereference: true,
      filter: (from) => from === source || filter(path.basename(from)),
    });
  }
}
