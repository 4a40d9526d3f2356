import { readlink, realpath } from 'node:fs/promises';
import path from 'node:path';
import { ifReadable } from '../../../process/if-present.ts';
import { exists } from '../../../project/install/node-packages.ts';
import { listInterpreters } from './interpreters.ts';

/** Places of a Linux system: programs, libraries, and the files with which these find each other and trust servers. */
const SYSTEM_PLACES = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib64',
  '/etc/alternatives',
  '/etc/ld.so.cache',
  '/etc/localtime',
  '/etc/nsswitch.conf',
  '/etc/pki/tls/certs',
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
];

/** The folders that a sandbox gets in addition to the system's programs. */
export interface Given {
  /** The folders with the code to run, which the sandbox may read, or even change. */
  readonly folders: readonly string[];
  /** The folder in which the deployment's builds keep downloads. */
  readonly home: string;
  /** The PATH of this machine's programs. */
  readonly searchPath: string | undefined;
}

/**
 * Finds the folders of this machine that a sandbox reads.
 * @param programs absolute paths of the programs that it starts, which may be anywhere: in a user's folder, or a link
 * from a virtual environment.
 * @throws Error for a link that leads out of its own folders to anything but an interpreter on this machine, because
 * the author of the folders could otherwise choose what can be read.
 */
export async function findReadable(given: Given, programs: readonly string[]): Promise<string[]> {
  const { folders } = given;
  const ofPrograms = await Promise.all(programs.map((program) => placesOf(program, given)));
  const places = [...SYSTEM_PLACES, ...folders, ...ofPrograms.flat()];
  const there = await Promise.all(places.map(async (place) => ((await exists(place)) ? place : undefined)));
  return [...new Set(there.filter((place) => place !== undefined))].filter(
    (place) => !folders.some((folder) => place !== folder && isBelow(folder, place)),
  );
}

/**
 * The places that a program needs: itself, and the libraries next to it. Not its whole folder, which may be a home
 * folder.
 */
async function placesOf(program: string, { folders, home, searchPath }: Given): Promise<string[]> {
  const isTheirs = [home, ...folders].some((folder) => isBelow(folder, program));
  const real = await realpath(program);
  const isGiven = (place: string) => ['/usr', home, ...folders].some((folder) => isBelow(folder, place));
  const own = (await stepsOf(program)).filter((step) => !isGiven(step));
  if (isBelow('/usr', real) || folders.some((folder) => isBelow(folder, real))) return own;
  if (isBelow(home, real)) return [...own, home];
  if (isTheirs && !(await listInterpreters(searchPath)).has(real))
    throw new Error(`${program} points to ${real}, which is not an interpreter of this machine.`);
  const prefix = path.dirname(path.dirname(real));
  return [...own, real, path.join(prefix, 'lib'), path.join(prefix, 'include')];
}

/** A program, and the links that lead from it to the real one. */
async function stepsOf(program: string): Promise<string[]> {
  const next = await ifReadable(readlink(program));
  return next === undefined
    ? [program]
    : [program, ...(await stepsOf(path.resolve(path.dirname(program), next)))];
}

function isBelow(folder: string, place: string): boolean {
  return place.startsWith(`${folder}${path.sep}`);
}
