import path from 'node:path';
import { pathToFileURL } from 'node:url';
import packageJson from '../../package.json' with { type: 'json' };
import { IdleMemory } from '../process/idle-memory.ts';
import { messageOf } from '../process/message-of.ts';
import { openFilesSentence, saysTooManyFiles } from '../process/open-files.ts';
import { ArgumentError } from './argument-error.ts';
import { SecretBoxError } from './control-plane/secrets/secret-box.ts';
import { DataFolder, DataFolderLockedError } from './data-folder.ts';
import { PortTakenError } from './http/origin.ts';
import { makeLogger } from './logger.ts';
import { ALL_ROLES } from './roles.ts';
import type { RuntimeHeadStart } from './runtimes/generations/runtime-head-start.ts';
import { NODE_RUNTIME } from './runtimes/node/node-runtime.ts';
import { RollOutError } from './runtimes/process/runtime-errors.ts';
import { Server } from './server.ts';
import { HELP, readArguments, type ServerArguments } from './server-arguments.ts';
import type { ServerOptions } from './server-options.ts';
import { DataFolderError } from './storage/data-folder-error.ts';
import { MoveError } from './team/moving/move-error.ts';
import type { MoveRequest } from './team/moving/move-request.ts';
import { ObjectsError } from './team/objects/objects.ts';

/** Exit codes that launchers distinguish (see src/launcher). */
const EXIT = { failed: 1, usage: 2, locked: 3, portTaken: 4, dataFolder: 5, signal: 143 } as const;

const TRACES_LINK = pathToFileURL(path.join(import.meta.dirname, 'traces-link.js'));

let logger = makeLogger({ level: 'info' });

/** Does what the command line requests. @returns the exit code. */
async function main(
  headStart: RuntimeHeadStart | undefined,
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const given = readArguments(process.argv.slice(2), environment);
  if (given === 'help') {
    process.stdout.write(HELP);
    return 0;
  }
  // In a container, the first process is not ended by signals without a handler.
  let onSignal = (): void => process.exit(EXIT.signal);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const)
    process.once(signal, () => onSignal());
  if (given.untilStdinEnds) onStdinEnd(() => onSignal());
  logger = makeLogger({ level: given.logLevel });
  if (given.move !== undefined) {
    await move(given.move);
    return 0;
  }
  if (given.rotation !== undefined) {
    const { rotateSecretsKey } = await import('./rotate-secrets-key.ts');
    await rotateSecretsKey(given.rotation, given.dataDir, packageJson.version, tell);
    return 0;
  }
  const folder = await DataFolder.open(given.dataDir);
  await folder.makePrivate(logger);
  const options = serverOptions(folder, given, headStart);
  const { database } = options;
  const server = await Server.start(options).catch(async (error: unknown) => {
    throw database === undefined ? error : await explainDatabase(error, database);
  });
  const signals = new Promise<undefined>((resolve) => {
    onSignal = () => resolve(undefined);
  });
  const failure = await Promise.race([server.ended, signals]);
  logger.info('ending');
  if (failure === undefined) {
    await server.drain(sharerIn(given) === undefined ? 0 : given.drainSeconds * 1000);
    await server.stop();
    return 0;
  }
  await server.stop().catch((err: unknown) => logger.warn({ err }, 'could not stop cleanly'));
  throw failure;
}

/**
 * The part of a server that may share a database with other servers: a team's platform, or an image's
 * agent.
 */
function sharerIn({ team, imageAgent }: ServerArguments) {
  return team ?? imageAgent;
}

/** The options of the server that the arguments request. */
function serverOptions(
  folder: DataFolder,
  given: ServerArguments,
  headStart: RuntimeHeadStart | undefined,
): ServerOptions {
  const { graceSeconds, team, imageAgent, firstFolder } = given;
  const sharer = sharerIn(given);
  const roles = sharer?.roles ?? ALL_ROLES;
  return {
    folder,
    database: sharer?.database,
    databasePatienceMs: sharer && given.databasePatienceSeconds * 1000,
    version: packageJson.version,
    logger,
    port: given.port,
    presence: {
      graceMs: graceSeconds === undefined ? undefined : graceSeconds * 1000,
      holderGraceMs: given.holderGraceSeconds * 1000,
    },
    programs: {
      nodeRuntime: NODE_RUNTIME,
      pythonRuntime: path.join(import.meta.dirname, 'runtime-python', 'main.py'),
      tracesWorker: pathToFileURL(path.join(import.meta.dirname, 'traces-worker.js')),
      tracesLink: TRACES_LINK,
      heartbeat: pathToFileURL(path.join(import.meta.dirname, 'server-heartbeat.js')),
      buildGuard: path.join(import.meta.dirname, 'build-guard.js'),
    },
    roles,
    runs: {
      // A server without the role `runs` accepts runs, but other servers execute them.
      concurrency: roles.has('runs') ? given.jobsPerRuntime : 0,
      timeLimitMs: given.runTimeoutSeconds * 1000,
      continueAfterCrash: given.continueAfterCrash,
    },
    builds: {
      installTimeoutMs: given.installTimeoutSeconds * 1000,
      githubApi: given.githubApi,
    },
    sleepAfterMs: given.sleepAfterSeconds * 1000,
    memory: new IdleMemory(),
    firstFolder,
    imageAgent,
    team,
    headStart,
  };
}

/** Explains why a start with a team's database failed, at any step. */
async function explainDatabase(error: unknown, url: string): Promise<unknown> {
  const { findDatabaseProblem } = await import('./team/postgres/database-problem.ts');
  return findDatabaseProblem(error, url) ?? error;
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function move(request: MoveRequest): Promise<void> {
  if (request.workspace === undefined) {
    const { moveToTeam } = await import('./team/moving/move-to-team.ts');
    await moveToTeam(request, TRACES_LINK, tell);
  } else {
    const { moveToFolder } = await import('./team/moving/move-to-folder.ts');
    await moveToFolder(request, request.workspace, tell);
  }
}

/**
 * Calls a function when standard input ends: on every system, a pipe from a parent process also ends when the parent is
 * killed.
 */
function onStdinEnd(call: () => void): void {
  process.stdin.once('end', call).once('error', call).resume();
}

/** Writes the error to standard error, as one line that a launcher can show. @returns the exit code. */
function explain(error: unknown): number {
  const message = messageOf(error);
  process.stderr.write(`${message}${saysTooManyFiles(message) ? ` ${openFilesSentence()}` : ''}\n`);
  if (error instanceof ArgumentError) return EXIT.usage;
  if (error instanceof DataFolderLockedError) return EXIT.locked;
  if (error instanceof PortTakenError) return EXIT.portTaken;
  if (error instanceof DataFolderError || error instanceof ObjectsError) return EXIT.dataFolder;
  if (error instanceof RollOutError || error instanceof MoveError || error instanceof SecretBoxError)
    return EXIT.failed;
  logger.error({ err: error }, 'the server failed');
  return EXIT.failed;
}

/**
 * Serves until the server has to end, and then ends the process.
 * @param headStart a process for the graphs of the first folder.
 * @param environment the environment at the start, including secrets.
 */
export async function serve(
  headStart: RuntimeHeadStart | undefined,
  environment: NodeJS.ProcessEnv,
): Promise<never> {
  process.on('unhandledRejection', (error) => logger.error({ err: error }, 'unhandled rejection'));
  // An uncaught error does not stop the server, because stored data is always consistent.
  process.on('uncaughtException', (error) => logger.error({ err: error }, 'uncaught exception'));
  process.exitCode = await main(headStart, environment).catch(explain);
  // Remaining sockets and timers must not keep the process alive.
  process.exit();
}
