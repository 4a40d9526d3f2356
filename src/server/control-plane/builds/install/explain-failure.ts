import { shorten } from '../../../../process/shorten.ts';
import { BuildError } from '../../../../project/build-error.ts';
import { yarnErrors } from '../../../../project/install/yarn.ts';
import { CommandError } from '../command-runner.ts';
import type { Lockfile } from './lockfile.ts';

/** The limits for the output that an error quotes. */
const MAX_LINES = 12;
const MAX_LINE_CHARS = 500;

/** Lines of package managers that contain no information. */
const SAYS_NOTHING = /^(?:npm (?:error|ERR!)\s*)?(?:code \w+|errno .*|A complete log .*|)$/;

/** The first and the last line of the help that npm prints below an error. */
const HELP_BEGINS = /^npm (?:error|ERR!) (?:Clean install a project|Install a package|Usage:)$/;
const HELP_ENDS = /^npm (?:error|ERR!) Run "npm help /;

/** Messages of npm, pnpm, Yarn, Bun and uv about an outdated lockfile. */
const OUTDATED_LOCKFILE =
  /`npm ci` can only install packages|ERR_PNPM_(?:OUTDATED_LOCKFILE|LOCKFILE_CONFIG_MISMATCH)|[Ll]ockfile needs to be updated|lockfile would have been (?:modified|created)|lockfile had changes, but lockfile is frozen/;

/** Messages of pnpm and uv about a lockfile that is not valid. */
const UNREADABLE_LOCKFILE = /ERR_PNPM_BROKEN_LOCKFILE|Failed to parse `uv\.lock`/;

/** npm's error code for conflicting peer dependencies. */
const PEERS_EXCLUDE_EACH_OTHER = /\bERESOLVE\b/;

/**
 * Explains a failure as a sentence, with the remedy if known, followed by the last lines of the command's output.
 * @returns a BuildError for a command that failed; anything else unchanged.
 */
export function explainFailure(error: unknown, lockfile?: Lockfile): unknown {
  if (!(error instanceof CommandError)) return error;
  const lines = relevantLines(error.tail);
  const errors = relevantLines([...error.errors, ...yarnErrors(error.tail)]);
  const cause = errors.length === 0 ? lines.slice(-1) : errors.slice(0, 3);
  const reason =
    advice([...error.errors, ...error.tail].join('\n'), lockfile) ??
    [...new Set(cause.map(withoutPrefix))].join(' ');
  const sentence = reason === '' ? error.message : `${error.message.replace(/\.$/, '')}: ${reason.trim()}`;
  const quoted = (lines.length === 0 ? errors : lines)
    .slice(-MAX_LINES)
    .map((line) => shorten(line.trimEnd(), MAX_LINE_CHARS));
  // A single line that the sentence already contains is not repeated.
  const [only = ''] = quoted;
  const below = quoted.length === 1 && sentence.includes(withoutPrefix(only)) ? [] : quoted;
  return new BuildError([sentence, ...below].join('\n'));
}

/** Removes npm's help, whose beginning may be cut off, and lines without information. */
function relevantLines(lines: readonly string[]): string[] {
  const begins = lines.findIndex((line) => HELP_BEGINS.test(line.trim()));
  const ends = lines.findLastIndex((line) => HELP_ENDS.test(line.trim()));
  const from = begins === -1 ? 0 : begins;
  const to = begins !== -1 && ends === -1 ? lines.length : ends;
  return lines.filter((line, at) => (at < from || at > to) && !SAYS_NOTHING.test(line.trim()));
}

/** A problem with the lockfile or the packages, with its remedy; undefined for other failures. */
function advice(output: string, lockfile: Lockfile | undefined): string | undefined {
  if (lockfile === undefined) return undefined;
  const { name, command } = lockfile;
  if (OUTDATED_LOCKFILE.test(output)) return `${name} is out of date. Run ${command} and commit ${name}.`;
  if (UNREADABLE_LOCKFILE.test(output)) return `${name} cannot be read. Run ${command} and commit ${name}.`;
  if (!PEERS_EXCLUDE_EACH_OTHER.test(output)) return undefined;
  return `packages have conflicting peer dependencies. Change them in package.json, or add legacy-peer-deps=true to .npmrc, then run ${command} and commit ${name}.`;
}

function withoutPrefix(line: string): string {
  return line.replace(/^npm (?:error|ERR!)\s*/, '').trim();
}
