import { accessSync, constants, readFileSync } from 'node:fs';

/** A program from util-linux that runs another program with other rights. */
export const SETPRIV = '/usr/bin/setpriv';
/** The variable with the ID of the user and group that graphs run as in the server's image. */
const GRAPH_USER = 'AGENT_HARBOR_GRAPH_USER';
/** The variable with the ID of the user and group of the server, which starts as root in the image. */
const SERVER_USER = 'AGENT_HARBOR_USER';
/**
 * The capabilities that a server needs to start and end processes of another user, with their numbers from
 * capabilities(7).
 */
const NEEDED = { kill: 5n, setgid: 6n, setuid: 7n } as const;
const NAMES = Object.keys(NEEDED);

/**
 * The prefix of a command that runs a project's code as the graphs' user, so that it cannot read the server's memory and
 * files. Empty if graphs have no separate user, or the server may not change users.
 */
export function asGraphUser(): readonly string[] {
  graphUserPrefix ??= findGraphUserPrefix();
  return graphUserPrefix;
}

let graphUserPrefix: readonly string[] | undefined;

function findGraphUserPrefix(): readonly string[] {
  const user = process.env[GRAPH_USER];
  if (!user || process.getuid?.() === 0 || !mayChangeUser()) return [];
  const none = ['--inh-caps=-all', '--ambient-caps=-all', '--no-new-privs'];
  return [SETPRIV, `--reuid=${user}`, `--regid=${user}`, '--clear-groups', ...none];
}

/** A command that runs one of the project's programs as the graphs' user. */
export function commandAsGraphUser(file: string, args: readonly string[]): [string, string[]] {
  const [program, ...options] = asGraphUser();
  return program === undefined ? [file, [...args]] : [program, [...options, file, ...args]];
}

/**
 * The prefix of the command with which a server that was started as root starts again as its own user. The
 * server keeps the right to start graphs as another user only if they have one; otherwise, graphs would
 * inherit the right. Empty if the server keeps its user.
 */
export function asServerUser(): readonly string[] {
  const { [SERVER_USER]: user, [GRAPH_USER]: graphUser } = process.env;
  if (!user || process.getuid?.() !== 0 || !mayChangeUser()) return [];
  const kept = ['-all', ...(graphUser ? NAMES.map((name) => `+${name}`) : [])].join(',');
  const rights = [`--inh-caps=${kept}`, `--ambient-caps=${kept}`, '--no-new-privs'];
  return [SETPRIV, `--reuid=${user}`, `--regid=${user}`, '--clear-groups', ...rights];
}

/**
 * Whether setpriv exists, and this process has all capabilities that changing users needs. False without
 * `/proc`.
 */
function mayChangeUser(): boolean {
  try {
    accessSync(SETPRIV, constants.X_OK);
    const [, bits = ''] = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    const rights = BigInt(`0x${bits}`);
    return Object.values(NEEDED).every((bit) => ((rights >> bit) & 1n) === 1n);
  } catch {
    return false;
  }
}
