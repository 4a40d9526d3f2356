import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { constants, copyFile, lstat, mkdir, readlink, rm, stat } from 'node:fs/promises';
import { devNull } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ifPresent } from '../../../../process/if-present.ts';
import { linkOrCopy } from '../../../../process/link-or-copy.ts';
import { replace } from '../../../../process/replace.ts';
import { BuildError } from '../../../../project/build-error.ts';
import { isInside } from '../../../../project/paths.ts';
import { isToolOutput } from '../../../../project/tool-output.ts';
import { CommandError, type CommandRunner } from '../command-runner.ts';
import type { FoundSource, SourceContext } from './source.ts';

const GIT_TIMEOUT_MS = 2 * 60_000;
const MAX_FILES = 50_000;

export interface FolderSourceOptions {
  readonly runner: CommandRunner;
  readonly env: Readonly<Record<string, string>>;
  readonly dir: string;
  /** A folder that does not exist yet, in which the copy is made before it is placed. */
  readonly staging: string;
}

/**
 * Copies a local folder: tracked files, including uncommitted changes, and new files, except ignored ones.
 * @throws BuildError
 */
export async function folderSource(
  options: FolderSourceOptions,
  context: SourceContext,
): Promise<FoundSource> {
  const { dir, staging } = options;
  const folder = await ifPresent(stat(dir));
  if (!folder?.isDirectory()) throw new BuildError(`Folder not found: ${dir}. It was moved or deleted.`);
  const files = await listFiles(options, context);
  if (files.length > MAX_FILES) {
    throw new BuildError(
      `${dir} has ${files.length} files that git does not ignore. Add files that are not needed to .gitignore.`,
    );
  }
  await rm(staging, { recursive: true, force: true });
  await mkdir(staging, { recursive: true });
  const hash = createHash('sha256');
  for (const file of files) {
    context.signal.throwIfAborted();
    await copy(file);
  }
  context.log('INFO', `Copied ${files.length} files of ${dir}.`);
  const commit = await readCommit(options, context);
  return {
    key: `dir-${hash.digest('hex')}`,
    commit,
    changes: commit === null ? null : await changesIn(options, context),
    place: async (target) => {
      await rm(target, { recursive: true, force: true });
      await replace(staging, target);
    },
    discard: () => rm(staging, { recursive: true, force: true }),
  };

  async function copy(file: string): Promise<void> {
    const from = path.join(dir, file);
    const to = path.join(staging, file);
    // Git also lists tracked files that have been deleted.
    const info = await ifPresent(lstat(from));
    if (info === undefined) return;
    if (info.isSymbolicLink()) {
      const named = path.resolve(path.dirname(from), await readlink(from));
      // The link becomes relative, because an absolute one would point to the original folder.
      const target = path.relative(path.dirname(from), named);
      if (named !== path.resolve(dir) && !isInside(dir, named)) {
        context.log('WARNING', `Not included: ${file} (links to a place outside the folder).`);
        return;
      }
      await mkdir(path.dirname(to), { recursive: true });
      await linkOrCopy({ target, source: named, to }, (name) => !isToolOutput(name));
      hash.update(`link ${file}\0${target}\0`);
      return;
    }
    // Git lists a submodule as its folder, without the files in it.
    if (info.isDirectory()) warnOfRepository(file, context);
    if (!info.isFile()) return;
    await mkdir(path.dirname(to), { recursive: true });
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    const content = createHash('sha256');
    await pipeline(createReadStream(to), content);
    hash.update(`file ${file}\0${info.mode & 0o100}\0${content.digest('hex')}\0`);
  }
}

/** The files to copy, relative to the folder, sorted. */
async function listFiles(options: FolderSourceOptions, context: SourceContext): Promise<string[]> {
  const found = (await isInRepository(options, context))
    ? await git(options, context, ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', '.'])
    : await listOutside(options, context);
  const names = found.split('\0');
  // Git lists an untracked repository in the folder as a name that ends with a slash, without the files in
  // it.
  for (const name of names)
    if (name.endsWith('/') && !isToolOutput(name)) warnOfRepository(name.slice(0, -1), context);
  return sourceFiles(names).sort();
}

/** @throws BuildError if git refuses to read the repository, for example because another user owns it. */
async function isInRepository(options: FolderSourceOptions, context: SourceContext): Promise<boolean> {
  try {
    await runGit(options, context, ['rev-parse', '--is-inside-work-tree']);
    return true;
  } catch (error) {
    if (error instanceof CommandError && error.tail.some((line) => line.includes('not a git repository')))
      return false;
    throw explain(options, error);
  }
}

function warnOfRepository(name: string, { log }: SourceContext): void {
  log('WARNING', `Not included: ${name} (a git repository inside the folder).`);
}

/** The files to copy, each once. */
function sourceFiles(names: readonly string[]): string[] {
  const files = names.filter((file) => file !== '' && !file.endsWith('/'));
  return [...new Set(files)].filter((file) => !isToolOutput(file));
}

/**
 * Lists the files of a folder outside a repository. Git does so with an empty repository elsewhere, and
 * respects .gitignore.
 */
async function listOutside(options: FolderSourceOptions, context: SourceContext): Promise<string> {
  const empty = `${options.staging}.git`;
  try {
    await git(options, context, ['init', '--quiet', '--bare', '--template=', empty]);
    const places = ['--git-dir', empty, '--work-tree', options.dir];
    return await git(options, context, [...places, 'ls-files', '-z', '--others', '--exclude-standard']);
  } finally {
    await rm(empty, { recursive: true, force: true });
  }
}

/** The commit that is checked out in the folder; null outside of a repository or before the first commit. */
async function readCommit(options: FolderSourceOptions, context: SourceContext): Promise<string | null> {
  // Git reports a missing commit as a failure.
  const found = await git(options, context, ['rev-parse', '--verify', '--quiet', 'HEAD']).catch(() => '');
  return found.trim() === '' ? null : found.trim();
}

/** How many files in the folder differ from the commit, or are new. */
async function changesIn(options: FolderSourceOptions, context: SourceContext): Promise<number> {
  const args = ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=all', '--', '.'];
  // A file may be listed twice: as removed from the index, and as new.
  const named = (await git(options, context, args)).split('\0').map((line) => line.slice(3));
  return sourceFiles(named).length;
}

/** Runs git in the folder. @returns what it printed on standard output. @throws BuildError */
async function git(
  options: FolderSourceOptions,
  context: SourceContext,
  args: readonly string[],
): Promise<string> {
  try {
    return await runGit(options, context, args);
  } catch (error) {
    throw explain(options, error);
  }
}

/** Quotes git's error, with the advice that follows it. */
function explain({ dir }: FolderSourceOptions, error: unknown): unknown {
  if (!(error instanceof CommandError)) return error;
  const { tail, message } = error;
  const begin = tail.findIndex((line) => line.startsWith('fatal:'));
  const why = begin === -1 ? message : tail.slice(begin).join(' ').replaceAll(/\s+/g, ' ').trim();
  return new BuildError(`git could not read ${dir}: ${why}`);
}

async function runGit(
  { runner, env, dir }: FolderSourceOptions,
  { signal }: SourceContext,
  args: readonly string[],
): Promise<string> {
  try {
    return await runner.run({
      command: 'git',
      args: [
        '-c',
        'core.fsmonitor=false',
        '-c',
        'core.longpaths=true',
        '-c',
        `core.hooksPath=${devNull}`,
        ...args,
      ],
      cwd: dir,
      env: { ...env, GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' },
      timeoutMs: GIT_TIMEOUT_MS,
      signal,
    });
  } catch (error) {
    if (error instanceof CommandError && error.missing) {
      throw new BuildError('git is not installed on this machine. It is needed to list the files to deploy.');
    }
    throw error;
  }
}
