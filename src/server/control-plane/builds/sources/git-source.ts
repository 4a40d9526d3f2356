import { mkdir, rm } from 'node:fs/promises';
import { devNull } from 'node:os';
import path from 'node:path';
import { exists } from '../../../../process/exists.ts';
import { replace } from '../../../../process/replace.ts';
import { BuildError } from '../../../../project/build-error.ts';
import { CommandError, type CommandRunner } from '../command-runner.ts';
import { type GitAccess, gitAccess } from './git-access.ts';
import type { FoundSource, SourceContext } from './source.ts';

const FETCH_TIMEOUT_MS = 10 * 60_000;
const CHECKOUT_TIMEOUT_MS = 5 * 60_000;
/**
 * The settings with which files are written as they were committed. By default, Git for Windows writes CRLF line ends,
 * and refuses paths of more than 260 characters.
 */
const AS_COMMITTED = ['core.autocrlf=false', 'core.eol=lf', 'core.longpaths=true'].flatMap((setting) => [
  '-c',
  setting,
]);
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

export interface GitSourceOptions {
  readonly runner: CommandRunner;
  /** The environment of the commands. */
  readonly env: Readonly<Record<string, string>>;
  /** Folder of the bare repository that is kept between revisions, so that only new objects are fetched. */
  readonly mirror: string;
  readonly url: string;
  /** Branch, `refs/…`, or commit; null is the repository's own default branch. */
  readonly ref: string | null;
  /** Credentials for the repository's host, in addition to the user's own setup. */
  readonly access?: GitAccess | undefined;
}

/**
 * Finds a commit of a repository with the machine's own git, using the keys and credential helpers of its user.
 * Nothing in the repository is run: there are no hooks, no prompts, and no transports except http, https, ssh and file.
 * @throws BuildError
 */
export async function gitSource(options: GitSourceOptions, context: SourceContext): Promise<FoundSource> {
  const git = new Git(options, context);
  await git.prepareMirror();
  const found = await git.resolve();
  return {
    key: found.commit,
    commit: found.commit,
    changes: null,
    // Files are not fetched before this, because those of a commit that has already been built are not
    // needed.
    place: async (dir) => {
      await git.fetch(found);
      await git.checkout(found.commit, dir);
      if (await exists(path.join(dir, '.gitmodules')))
        context.log('WARNING', 'Not included: submodules (.gitmodules).');
    },
    discard: () => Promise.resolve(),
  };
}

/**
 * Writes the files of a commit that was fetched before to a new folder, without contacting its repository.
 * @returns false if it was not fetched.
 */
export async function placeFetched(
  options: Pick<GitSourceOptions, 'runner' | 'env' | 'mirror'>,
  commit: string,
  dir: string,
  signal: AbortSignal,
): Promise<boolean> {
  const git = new Git({ ...options, url: '', ref: null }, { signal, log: () => {} });
  if (!(await git.has(commit))) return false;
  await git.checkout(commit, dir);
  return true;
}

/** A commit to fetch. */
interface Wanted {
  readonly commit: string;
  /** The branch or tag of the commit, or the commit itself. */
  readonly name: string;
}

/** How a git command is run. */
interface RunOptions {
  readonly timeoutMs: number;
  /** Further variables. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Whether the output is logged, and a failure is a BuildError for the user, which is the default. A quiet
   * command may fail: its CommandError is for the caller.
   */
  readonly output?: 'logged' | 'quiet';
}

/** The git commands for one mirror and its repository. */
class Git {
  readonly #options: GitSourceOptions;
  readonly #context: SourceContext;

  constructor(options: GitSourceOptions, context: SourceContext) {
    this.#options = options;
    this.#context = context;
  }

  async prepareMirror(): Promise<void> {
    const { mirror } = this.#options;
    if (await exists(path.join(mirror, 'HEAD'))) {
      // An interrupted fetch may have left this lock.
      await rm(path.join(mirror, 'shallow.lock'), { force: true });
      return;
    }
    // The repository is created elsewhere and then moved, so that an interrupted clone is never mistaken for a
    // repository.
    const making = `${mirror}.new`;
    await rm(making, { recursive: true, force: true });
    await rm(mirror, { recursive: true, force: true });
    await mkdir(path.dirname(mirror), { recursive: true });
    await this.#run(['init', '--quiet', '--bare', '--template=', making], { timeoutMs: CHECKOUT_TIMEOUT_MS });
    await replace(making, mirror);
  }

  /** Finds the commit to fetch, and its name. A commit given by its hash is fetched. @throws BuildError */
  async resolve(): Promise<Wanted> {
    const { url, ref } = this.#options;
    if (ref === null || !COMMIT.test(ref)) {
      const found = await this.#lookUp(ref);
      this.#context.log('INFO', `${found.name} of ${url} is at ${found.commit.slice(0, 12)}.`);
      return found;
    }
    // The hash may be that of a tag object, or may not exist.
    const wanted = { commit: ref, name: ref };
    await this.fetch(wanted);
    return { commit: await this.#findCommit(ref), name: ref };
  }

  async fetch(wanted: Wanted): Promise<void> {
    if (await this.has(wanted.commit)) return;
    this.#context.log('INFO', `Fetching ${wanted.commit.slice(0, 12)} of ${this.#options.url}.`);
    await this.#fetchCommit(wanted);
  }

  async checkout(commit: string, dir: string): Promise<void> {
    const index = `${dir}.index`;
    await mkdir(dir, { recursive: true });
    try {
      await this.#inMirror(['--work-tree', dir, 'checkout', '--quiet', '--force', commit, '--', '.'], {
        timeoutMs: CHECKOUT_TIMEOUT_MS,
        // The index is a separate file, because the mirror is shared with other checkouts.
        env: { GIT_INDEX_FILE: index },
      });
    } finally {
      await rm(index, { force: true });
    }
  }

  /** Asks the repository for the commit of a branch or tag. @throws BuildError if it has none. */
  async #lookUp(ref: string | null): Promise<Wanted> {
    const { url } = this.#options;
    const patterns =
      ref === null
        ? ['HEAD']
        : ref.startsWith('refs/')
          ? [ref, `${ref}^{}`]
          : [`refs/heads/${ref}`, `refs/tags/${ref}`, `refs/tags/${ref}^{}`];
    const listed = await this.#inMirror(['ls-remote', '--', url, ...patterns], {
      timeoutMs: FETCH_TIMEOUT_MS,
    });
    const found = new Map(
      listed
        .split('\n')
        .map((line) => line.split('\t'))
        .map(([commit = '', name = '']) => [name, commit]),
    );
    for (const name of patterns) {
      // An annotated tag is an object itself; its commit is listed as `^{}`.
      const commit = found.get(`${name}^{}`) ?? found.get(name);
      if (commit !== undefined) return { commit, name };
    }
    throw new BuildError(
      ref === null
        ? `${url} has no commits yet.`
        : `${url} has no branch, tag or commit '${ref}'. Check repo_ref.`,
    );
  }

  async #fetchCommit({ commit, name }: Wanted): Promise<void> {
    const { url, mirror } = this.#options;
    const kept = `+${commit}:refs/harbor/${commit}`;
    const args = ['fetch', '--quiet', '--no-tags', '--depth', '1', '--', url, kept];
    if (name !== commit) {
      await this.#inMirror(args, { timeoutMs: FETCH_TIMEOUT_MS });
      return;
    }
    try {
      await this.#inMirror(args, { timeoutMs: FETCH_TIMEOUT_MS, output: 'quiet' });
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      // Some servers only allow fetching branches and tags.
      this.#context.log('INFO', 'The commit could not be fetched by itself. Fetching all branches and tags.');
      // Commits that were fetched by themselves are stored without earlier ones, which a plain fetch leaves out.
      const isShallow = await exists(path.join(mirror, 'shallow'));
      await this.#inMirror(
        [
          'fetch',
          '--quiet',
          ...(isShallow ? ['--unshallow'] : []),
          '--',
          url,
          '+refs/heads/*:refs/harbor-heads/*',
          '+refs/tags/*:refs/harbor-tags/*',
        ],
        { timeoutMs: FETCH_TIMEOUT_MS },
      );
      if (!(await this.has(commit))) throw new BuildError(`${url} has no commit ${commit}.`);
    }
  }

  /** Whether a commit was fetched with its files. */
  async has(commit: string): Promise<boolean> {
    try {
      await this.#inMirror(['cat-file', '-e', `${commit}^{tree}`], {
        timeoutMs: CHECKOUT_TIMEOUT_MS,
        output: 'quiet',
      });
      return true;
    } catch (error) {
      if (error instanceof CommandError && !error.missing) return false;
      throw this.#explain(error);
    }
  }

  async #findCommit(name: string): Promise<string> {
    const options = { timeoutMs: CHECKOUT_TIMEOUT_MS };
    return (await this.#inMirror(['rev-parse', '--verify', `${name}^{commit}`], options)).trim();
  }

  /** Runs a git command on the mirror. @returns what it printed on standard output. */
  #inMirror(args: readonly string[], options: RunOptions): Promise<string> {
    return this.#run(['--git-dir', this.#options.mirror, ...args], options);
  }

  async #run(
    args: readonly string[],
    { timeoutMs, env = {}, output = 'logged' }: RunOptions,
  ): Promise<string> {
    const { runner } = this.#options;
    const { signal, log } = this.#context;
    const access = gitAccess(this.#options.access);
    try {
      return await runner.run({
        command: 'git',
        args: [
          '-c',
          `core.hooksPath=${devNull}`,
          '-c',
          'core.fsmonitor=false',
          '-c',
          'advice.detachedHead=false',
          ...AS_COMMITTED,
          ...access.args,
          ...args,
        ],
        cwd: path.dirname(this.#options.mirror),
        env: {
          ...this.#options.env,
          ...env,
          ...access.env,
          GIT_TERMINAL_PROMPT: '0',
          GIT_ALLOW_PROTOCOL: 'https:http:ssh:file',
          GIT_ASKPASS: '',
          SSH_ASKPASS: '',
          LC_ALL: 'C',
        },
        timeoutMs,
        signal,
        onLine: (line, from) => {
          if (from === 'stderr' && output === 'logged' && line !== '') log('INFO', line);
        },
      });
    } catch (error) {
      if (error instanceof CommandError && error.missing) {
        throw new BuildError('git is not installed on this machine. This source needs it.');
      }
      throw output === 'quiet' ? error : this.#explain(error);
    }
  }

  #explain(error: unknown): unknown {
    if (!(error instanceof CommandError)) return error;
    const why =
      error.tail.findLast((line) => /^(?:fatal|error|ssh|remote):/i.test(line)) ?? error.tail.at(-1);
    return new BuildError(`git could not fetch ${this.#options.url}: ${why ?? error.message}`);
  }
}
