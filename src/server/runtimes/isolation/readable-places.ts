import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { exists } from '../../../project/install/node-packages.ts';

/** Programs and libraries of a Linux system, and what they need to find each other and to trust servers. */
const OF_THE_SYSTEM = [
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

/**
 * What a runtime in a container reads of this machine.
 * @param folders with what is run.
 * @param program the interpreter, which may be anywhere: in a user's folder, or a link from a virtual environment.
 */
export async function findReadable(folders: readonly string[], program: string): Promise<string[]> {
  const real = await realpath(program);
  const prefix = path.dirname(path.dirname(real));
  const places = [
    ...OF_THE_SYSTEM,
    ...folders,
    // The folder that the interpreter is in may be somebody's home; its libraries are beside it.
    ...(isBelow('/usr', real) ? [] : [program, real, path.join(prefix, 'lib')]),
  ];
  const there = await Promise.all(places.map(async (place) => ((await exists(place)) ? place : undefined)));
  return [...new Set(there.filter((place) => place !== undefined))].filter(
    (place) => !folders.some((folder) => place !== folder && isBelow(folder, place)),
  );
}

function isBelow(folder: string, place: string): boolean {
  return place.startsWith(`${folder}${path.sep}`);
}
