/** The differences between Wine and Windows, by the tests that fail only because of them. */
export interface KnownDifference {
  /** Matches the whole title of a test: its `describe` and its `it`. */
  readonly title: RegExp;
  /** Matches the first line of its error, if it can also fail for other reasons. */
  readonly error?: RegExp;
  readonly why: string;
}

const GIT = "git.exe here is Linux' own git, which runs no programs of Windows";

const LINK = 'CreateSymbolicLink of Wine does nothing and says that it has worked';

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    title: /a command of a build fails with its exit code and its errors/,
    why: 'cmd.exe of Wine ends with 9009 for a program that is missing, Windows with 1',
  },
  { title: /a link (?:is made where the system allows it|fails for any other reason)/, why: LINK },
  {
    title:
      /(?:folder with changed and new files, without ignored files and links out of it|loading graphs reports that LangGraph is not installed|messages for evaluators are LangChain's objects where only|too old is reported before it is imported, in Node|the prices of model calls of a project come before those of the user)/,
    why: 'lstat of Wine takes links for what they lead to',
  },
  {
    title:
      /watching (?:a project leaves out lockfiles, which are written|the sources of a project reports nothing that installers)/,
    why: 'the time at which Wine says that a folder was made changes with what is in it',
  },
  {
    title: /starts the program with its arguments, in a folder with a percent sign/,
    why: 'cmd.exe of Wine looks for variables again in what %~dp0 has become',
  },
  {
    title: /how long an event loop is held does not count the time for which others had its CPU/,
    why: "the current drive has Linux' /proc on it, about another process",
  },
  {
    title: /a package that is loaded at once is there before anything waits/,
    why: 'NODE_OPTIONS has what Wine lacks (preload.mjs), and then imports are left alone',
  },
  {
    title: /starts the program with its arguments, which is on another drive/,
    why: 'cmd.exe of Wine reads a batch file in the code page of the system, whatever chcp says',
  },
  {
    title:
      /(?:a process tree ends with its descendants, those included|stops with all its child processes and leaves no folder behind|the demo runs, answers, gives feedback)/,
    why: 'only PowerShell lists the processes of Windows, and Wine has none',
  },
  {
    title: /a package manager (?:installs from its lockfile, whether|says what to do, with its last lines)/,
    error: /bun@1 .*cannot access tempdir/,
    why: 'bun opens no temporary folder in Wine, also when it is run by itself',
  },
  {
    title: /./,
    error: /BUILD_FAILED: node install\.mjs .*ENOTSUP: .*symlink/,
    why: 'junctions are not supported, and commands of a build have no NODE_OPTIONS with what makes them (preload.mjs)',
  },
  { title: /allows deploying private repositories/, error: /git-http-backend ENOENT/, why: GIT },
  { title: /runs no git hooks/, why: GIT },
  { title: /git bisect/, why: GIT },
];

/** Why a failed test says nothing about Windows; undefined if it does. */
export function knownDifference(title: string, error: string): string | undefined {
  return KNOWN_DIFFERENCES.find(
    (known) => known.title.test(title) && (known.error?.test(error.split('\n')[0] ?? '') ?? true),
  )?.why;
}
