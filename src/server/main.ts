import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import packageJson from '../../package.json' with { type: 'json' };
import { harbor } from '../contract/harbor.ts';
import { openFilesSentence, saysTooManyFiles } from '../process/open-files.ts';
import { DataFolder, DataFolderLockedError } from './data-folder.ts';
import { PortTakenError } from './http/origin.ts';
import { makeLogger } from './logger.ts';
import { nodeRuntime } from './runtimes/node-runtime.ts';
import type { RuntimeHeadStart } from './runtimes/runtime-head-start.ts';
import { Server } from './server.ts';
import { DataFolderError } from './storage/data-folder-error.ts';

/** What launchers tell apart (see src/launcher). */
const EXIT = { failed: 1, usage: 2, locked: 3, portTaken: 4, dataFolder: 5 } as const;

/** What a client would ask for when the server is up, by whoever starts it: they trust the folder. */
const FirstFolder = harbor.openFolder.body;

const { values } = parseArgs({
  options: {
    'data-dir': { type: 'string' },
    port: { type: 'string' },
    'grace-seconds': { type: 'string' },
    'holder-grace-seconds': { type: 'string', default: '30' },
    'log-level': { type: 'string', default: 'info' },
    'jobs-per-runtime': { type: 'string', default: '10' },
    'run-timeout-seconds': { type: 'string', default: '86400' },
    'install-timeout-seconds': { type: 'string', default: '600' },
    'github-api': { type: 'string', default: process.env.GITHUB_API_URL ?? 'https://api.github.com' },
    'sleep-after-seconds': { type: 'string', default: '300' },
    'no-continue': { type: 'boolean', default: false },
    folder: { type: 'string' },
  },
});

const logger = makeLogger({ level: values['log-level'] });

async function main(headStart: RuntimeHeadStart | undefined): Promise<number> {
  const dataDir = values['data-dir'];
  if (dataDir === undefined) {
    process.stderr.write('--data-dir <folder> is required.\n');
    return EXIT.usage;
  }
  const folder = await DataFolder.open(path.resolve(dataDir));
  await folder.makePrivate(logger);
  const grace = number(values['grace-seconds']);
  const server = await Server.start({
    folder,
    version: packageJson.version,
    logger,
    port: number(values.port),
    presence: {
      graceMs: grace === undefined ? undefined : grace * 1000,
      holderGraceMs: (number(values['holder-grace-seconds']) ?? 30) * 1000,
    },
    programs: {
      nodeRuntime,
      pythonRuntime: path.join(import.meta.dirname, 'runtime-python', 'main.py'),
      tracesWorker: pathToFileURL(path.join(import.meta.dirname, 'traces-worker.js')),
      buildGuard: path.join(import.meta.dirname, 'build-guard.js'),
    },
    runs: {
      concurrency: number(values['jobs-per-runtime']) ?? 10,
      timeLimitMs: (number(values['run-timeout-seconds']) ?? 86_400) * 1000,
      continueAfterCrash: !values['no-continue'],
    },
    builds: {
      installTimeoutMs: (number(values['install-timeout-seconds']) ?? 600) * 1000,
      githubApi: values['github-api'],
    },
    sleepAfterMs: (number(values['sleep-after-seconds']) ?? 300) * 1000,
    firstFolder: values.folder === undefined ? undefined : FirstFolder.parse(JSON.parse(values.folder)),
    headStart,
  });
  const signals = new Promise<undefined>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => resolve(undefined));
  });
  const trouble = await Promise.race([server.ended, signals]);
  logger.info('ending');
  if (trouble === undefined) {
    await server.stop();
    return 0;
  }
  await server.stop().catch((err: unknown) => logger.warn({ err }, 'could not stop cleanly'));
  throw trouble;
}

function number(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

/** One line a launcher can show, whatever went wrong. */
function explain(error: unknown): number {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${message}${saysTooManyFiles(message) ? ` ${openFilesSentence()}` : ''}\n`);
  if (error instanceof DataFolderLockedError) return EXIT.locked;
  if (error instanceof PortTakenError) return EXIT.portTaken;
  if (error instanceof DataFolderError) return EXIT.dataFolder;
  logger.error({ err: error }, 'the server failed');
  return EXIT.failed;
}

/**
 * Serves until it is told to end, and ends the process.
 * @param headStart a process for the graphs of the first folder.
 */
export async function serve(headStart: RuntimeHeadStart | undefined): Promise<never> {
  process.on('unhandledRejection', (error) => logger.error({ err: error }, 'unhandled rejection'));
  // An uncaught error does not stop the server, because stored data is always consistent.
  process.on('uncaughtException', (error) => logger.error({ err: error }, 'uncaught exception'));
  process.exitCode = await main(headStart).catch(explain);
  // Remaining sockets and timers must not keep the process alive.
  process.exit();
}
