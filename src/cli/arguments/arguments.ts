import { isIP } from 'node:net';
import { basename, delimiter, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { InvalidArgumentError, Option } from 'commander';
import { exists } from '../../process/exists.ts';
import { searchPathOf } from '../../process/search-path.ts';
import { usage } from '../terminal/failure.ts';

export function dataDirOption(): Option {
  return new Option('--data-dir <folder>', 'data folder to use; each data folder has its own server');
}

export function configOption(): Option {
  return new Option('--config <file>', 'path of langgraph.json').default('langgraph.json');
}

export function portArgument(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('Must be a port from 0 (any free port) to 65535.');
}

export function addressArgument(text: string): string {
  if (isIP(text) !== 0) return text;
  throw new InvalidArgumentError('Enter an IP address of this machine, or 0.0.0.0 for all of them.');
}

/**
 * The absolute path of a Python interpreter, or of an environment's folder.
 * @param given a path, or the name of a program on the PATH
 * @throws Failure when it does not exist
 */
export async function parsePythonArgument(given: string, environment: NodeJS.ProcessEnv): Promise<string> {
  const isName = basename(given) === given;
  const folders = isName ? (searchPathOf(environment) ?? '').split(delimiter) : [];
  const program = process.platform === 'win32' && !/\.exe$/i.test(given) ? `${given}.exe` : given;
  for (const place of [resolve(given), ...folders.map((folder) => join(folder, program))]) {
    if (await exists(place)) return place;
  }
  throw usage(
    `--python: ${given} not found${isName ? ' here or on the PATH' : ''}. Pass an interpreter, or the folder of a virtual environment.`,
  );
}

/** Collects the items of an option that takes a comma-separated list, such as `a,b`, and can be repeated. */
export function listArgument(text: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), ...text.split(',').map((item) => item.trim())].filter((item) => item !== '');
}

export function coresArgument(text: string): number {
  const cores = Number(text);
  if (cores >= 0.1 && cores <= 16) return cores;
  throw new InvalidArgumentError('Must be a number of cores from 0.1 to 16.');
}

export function megabytesArgument(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Must be a whole number of megabytes, such as 2048, or 0 for no limit.');
}

/** @returns minutes, at most a week */
export function drainMinutesArgument(text: string): number {
  if (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 10_080) return Number(text);
  throw new InvalidArgumentError('Must be a whole number of minutes between 1 and 10080 (a week).');
}

export function scoreArgument(text: string): number {
  const score = Number(text);
  if (text.trim() !== '' && Number.isFinite(score)) return score;
  throw new InvalidArgumentError('Must be a number, such as 1 or 0.');
}

/** @returns dollars */
export function costArgument(text: string): number {
  const cost = Number(text.replace(/^\$/, ''));
  if (cost > 0 && Number.isFinite(cost)) return cost;
  throw new InvalidArgumentError('Must be an amount of dollars above 0, such as 0.50.');
}

/** The text of an option, or of standard input for `-`. */
export async function readTextArgument(value: string, stdin: Readable): Promise<string> {
  return value === '-' ? text(stdin) : value;
}

/** A namespace of the store: `users.ada` has two labels. Empty labels are left out. */
export function namespaceArgument(text: string): string[] {
  return text.split('.').filter((label) => label !== '');
}

const MINUTE_MS = 60_000;
const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: MINUTE_MS,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Reads an age, such as `30d`, `12h` or `90m`. @returns milliseconds */
export function ageArgument(text: string): number {
  const [, number, unit = ''] = /^(\d+)([smhdw])$/.exec(text) ?? [];
  const ms = UNIT_MS[unit];
  if (number !== undefined && ms !== undefined) return Number(number) * ms;
  throw new InvalidArgumentError('Must be a number with s, m, h, d or w, such as 30d.');
}

/** Reads a time to live, such as `30d` or `12h`. @returns minutes, in which the API counts it */
export function ttlArgument(text: string): number {
  return ageArgument(text) / MINUTE_MS;
}
