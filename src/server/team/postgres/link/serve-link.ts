import { setTimeout as sleep } from 'node:timers/promises';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { Migration } from 'kysely';
import { connectionOptions } from '../connection-options.ts';
import { databaseProblem } from '../database-problem.ts';
import { migratePostgres } from '../migrate-postgres.ts';
import {
  ANSWERS,
  CONNECTED,
  ENDED,
  type LinkAnswer,
  type LinkBatch,
  type LinkData,
  type LinkGreeting,
} from './link-protocol.ts';
import { LinkServer } from './link-server.ts';

/** How long to wait for an unreachable database. */
const PATIENCE_MS = 30_000;
/** How long queries wait for the first attempt to reach a replica. */
const REPLICA_FIRST_MS = 1_000;

/**
 * The main function of a connection's thread: executes batches of statements for a thread that waits for each result.
 * @param options.migrations the migrations that create the tables of the database, in the given schema.
 */
export async function serveLink(options: {
  migrations: Readonly<Record<string, Migration>>;
  schema: string;
}): Promise<void> {
  const starter = parentPort;
  if (starter === null) throw new Error('Start this file as a worker thread.');
  const data = workerData as LinkData;
  const { port } = data;
  const signal = new Int32Array(data.signal);
  process.on('exit', () => {
    Atomics.store(signal, ENDED, 1);
    wake(signal);
  });
  const config = connectionOptions(data.url, data.application);
  try {
    if (data.migrates) await migratePostgres(config, options.migrations, options.schema, data.settings);
    const session = { settings: data.settings, mayBeStandby: data.isReplica };
    const server = new LinkServer(config, session, data.isReplica ? 0 : PATIENCE_MS);
    port.on('message', (batch: LinkBatch | 'close') => {
      if (batch === 'close') void server.close().finally(() => process.exit());
      else void server.answer(batch).then((answer) => send(port, signal, answer));
    });
    if (data.isReplica) {
      const first = server.stayConnected((isConnected) =>
        Atomics.store(signal, CONNECTED, Number(isConnected)),
      );
      await Promise.race([first, sleep(REPLICA_FIRST_MS)]);
    }
    starter.postMessage({ ready: true } satisfies LinkGreeting);
  } catch (error) {
    const { message: failed, mayPass } = databaseProblem(error, data.url);
    starter.postMessage({ failed, mayPass } satisfies LinkGreeting);
    port.close();
  }
}

function send(port: MessagePort, signal: Int32Array, answer: LinkAnswer): void {
  port.postMessage(answer);
  wake(signal);
}

function wake(signal: Int32Array): void {
  Atomics.add(signal, ANSWERS, 1);
  Atomics.notify(signal, ANSWERS);
}
