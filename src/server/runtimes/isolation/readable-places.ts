import { readlink, realpath } from 'node:fs/promises';
import path from 'node:path';
import { exists } from '../../../process/exists.ts';
import { ifReadable } from '../../../process/if-present.ts';
import { isInside } from '../../../project/paths.ts';
import { listInterpreters } from './interpreters.ts';

/**
 * The parts of a Linux system that a sandbox reads: programs, libraries, their settings, and certificates.
 */
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

interface SandboxFolders {
  /** The folders with the code to run, which the sandbox may read. */
  readonly folders: readonly string[];
  /** `HOME` of the deployment's builds, which may contain interpreters that they downloaded. */
  readonly home: string;
  /** The PATH of this machine's programs. */
  readonly searchPath: string | undefined;
}

/**
 * Finds the files and folders of this machine that a sandbox reads.
 * @param programs absolute paths of the programs that the sandbox starts, such as links in a virtual environment.
 * @throws Error if a program in the sandbox's folders is a link to anything outside except an interpreter of this
 * machine: the author of the folders could otherwise choose which files can be read.
 */
export async function findReadable(sandbox: SandboxFolders, programs: readonly string[]): Promise<string[]> {
  const { folders } = sandbox;
  const ofPrograms = await Promise.all(programs.map((program) => placesOf(program, sandbox)));
  const places = [...SYSTEM_PLACES, ...folders, ...ofPrograms.flat()];
  const there = await Promise.all(places.map(async (place) => ((await exists(place)) ? place : undefined)));
  return [...new Set(there.filter((place) => place !== undefined))].filter(
    (place) => !folders.some((folder) => isInside(folder, place)),
  );
}

/**
 * The places that a program needs in addition to the sandbox's folders: the links that lead to it, its file, and the
 * libraries next to it. The folder of the file is left out, because it may be a user's home.
 */
async function placesOf(program: string, { folders, home, searchPath }: SandboxFolders): Promise<string[]> {
  const real = await realpath(program);
  const isReadable = (place: string) => ['/usr', home, ...folders].some((folder) => isInside(folder, place));
  const links = (await linksTo(program)).filter((place) => !isReadable(place));
  if (isInside('/usr', real) || folders.some((folder) => isInside(folder, real))) return links;
  if (isInside(home, real)) return [...links, home];
  const isOfSandbox = [home, ...folders].some((folder) => isInside(folder, program));
  if (isOfSandbox && !(await listInterpreters(searchPath)).has(real))
    throw new Error(`${program} points to ${real}, which is not an interpreter of this machine.`);
  const prefix = path.dirname(path.dirname(real));
  return [...links, real, path.join(prefix, 'lib'), path.join(prefix, 'include')];
}

/** The path of a program, and of each link that leads from it to the real program. */
async function linksTo(program: string): Promise<string[]> {
  const next = await ifReadable(readlink(program));
  return next === undefined
    ? [program]
    : [program, ...(await linksTo(path.resolve(path.dirname(program), next)))];
}
