import { HARBOR_PROTOCOL } from '../contract/harbor.ts';
import { isOlder } from './is-older.ts';
import { LaunchError } from './launch-error.ts';
import { endServer, findServer, type RunningServer } from './running-server.ts';
import { type StartOptions, startServer } from './start-server.ts';

export interface LauncherOptions extends StartOptions {
  /** This client's version, `x.y.z`. */
  readonly version: string;
}

/**
 * Finds the server of a data folder, or starts one. An older server, or one at another port than the requested one, is
 * replaced if it is unused. An older server that is in use is used here too if it has the same protocol.
 * @throws LaunchError; RequestError when a server at another port cannot be asked to stop; the signal's reason when
 * aborted.
 */
export async function ensureServer(options: LauncherOptions): Promise<RunningServer> {
  const found = await findOrStart(options);
  if (!hasOtherPort(found, options.port)) return found;
  // A server that its handshake reports as used would refuse to stop, so it is not asked.
  const { clients = 0, busy = false } = found.handshake;
  const hasEnded =
    clients === 0 && !busy && (await endServer(found, 'unused', { dispatcher: options.dispatcher }));
  const server = hasEnded ? await startServer(options) : found;
  if (!hasOtherPort(server, options.port)) return server;
  throw new LaunchError(
    'other-port',
    `A server is already running at ${server.baseUrl} and in use, so it cannot use port ${options.port}. ` +
      'Stop what uses it, or leave out --port.',
  );
}

function hasOtherPort({ baseUrl }: RunningServer, wanted: number | undefined): boolean {
  return wanted !== undefined && wanted !== 0 && wanted !== Number(new URL(baseUrl).port);
}

async function findOrStart(options: LauncherOptions): Promise<RunningServer> {
  const found = await findServer(options);
  if (found === undefined) return startServer(options);
  options.headStart?.release(found);
  const { harbor_protocol: protocol, version } = found.handshake;
  if (protocol > HARBOR_PROTOCOL) {
    throw new LaunchError(
      'client-too-old',
      `The running Agent Harbor server (${version}) is newer than this client (${options.version}). Update this client.`,
    );
  }
  if (protocol === HARBOR_PROTOCOL && !isOlder(version, options.version)) return found;
  // An old server that does not stop counts as in use.
  const ended = await endServer(found, 'unused', { dispatcher: options.dispatcher }).catch(() => false);
  if (ended) return startServer(options);
  if (protocol === HARBOR_PROTOCOL) return found;
  throw new LaunchError(
    'server-too-old',
    `An older Agent Harbor server (${version}) is still in use by another window, terminal or run. ` +
      'The new server starts when the old one has stopped.',
  );
}
