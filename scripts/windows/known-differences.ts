/** The differences between Wine and Windows, by the tests that fail only because of them. */
export interface KnownDifference {
  /** Matches the whole title of a test: its `describe` and its `it`. */
  readonly title: RegExp;
  /** Matches its error, if it can also fail for other reasons. */
  readonly error?: RegExp;
  readonly why: string;
}

const GIT = "git.exe here is Linux' own git, which runs no programs of Windows";

const LINK = 'CreateSymbolicLink of Wine does nothing and reports success';

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    title: /a command of a build fails with its exit code and its errors/,
    why: 'cmd.exe of Wine exits with 9009 if a program is missing, that of Windows with 1',
  },
  { title: /a link (?:is created if the system allows it|fails for any other reason)/, why: LINK },
  {
    title:
      /(?:folder with changed and new files, without ignored files and links out of it|loading graphs reports that LangGraph is not installed|messages for evaluators are LangChain's objects where only|too old is reported before it is imported, in Node|the prices of model calls of a project come before those of the user)/,
    why: 'lstat of Wine follows links',
  },
  {
    title:
      /watching (?:a project leaves out lockfiles, which are written|the sources of a project reports nothing that installers)/,
    why: 'the creation time that Wine reports for a folder changes with its contents',
  },
  {
    title: /starts the program with its arguments, in a folder with a percent sign/,
    why: 'cmd.exe of Wine expands variables again in the value of %~dp0',
  },
  {
    title:
      /the time for which an event loop is blocked does not include the time for which others had its CPU/,
    why: 'the current drive contains the /proc of Linux, which describes another process',
  },
  {
    title: /a package that is loaded at once is available before anything waits/,
    why: 'NODE_OPTIONS preloads replacements for what Wine lacks (preload.mjs), and then imports stay asynchronous',
  },
  {
    title: /starts the program with its arguments, which is on another drive/,
    why: 'cmd.exe of Wine reads a batch file in the code page of the system and ignores chcp',
  },
  {
    title:
      /(?:a process tree ends with its descendants, those included|stops with all its child processes and leaves no folder behind|the demo runs, answers, gives feedback|can be interrupted while building, with all processes)/,
    why: 'only PowerShell lists the processes of Windows, and Wine has no PowerShell',
  },
  {
    title: /a package manager (?:installs from its lockfile, whether|says what to do, with its last lines)/,
    error: /bun@1 .*cannot access tempdir/,
    why: 'bun cannot open a temporary folder in Wine, even when it runs alone',
  },
  {
    title: /./,
    error: /BUILD_FAILED: node install\.mjs .*ENOTSUP: .*symlink/,
    why: 'Wine does not support junctions, and commands of a build have no NODE_OPTIONS that preloads a replacement (preload.mjs)',
  },
  {
    title: /a rollout fails if the app or auth does not load/,
    error: /BUILD_FAILED/,
    why: 'Wine does not support junctions, which the command of its build creates',
  },
  {
    title: /with a bundler that is installed meanwhile/,
    error: /rm returned EISDIR/,
    why: 'lstat of Wine follows links',
  },
  { title: /allows deploying private repositories/, error: /git-http-backend ENOENT/, why: GIT },
  { title: /runs no git hooks/, why: GIT },
  { title: /git bisect/, why: GIT },
];

/** Why a failed test fails only under Wine; undefined if no known difference explains it. */
export function knownDifference(title: string, error: string): string | undefined {
  return KNOWN_DIFFERENCES.find((known) => known.title.test(title) && (known.error?.test(error) ?? true))
    ?.why;
}
