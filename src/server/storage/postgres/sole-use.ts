import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import { DataFolderError } from '../data-folder-error.ts';

/** The lock of the server that uses a database. */
const LOCK = 0x41_48_5f_54;
/** PostgreSQL may take a moment to see that an earlier server is gone. */
const WAIT_MS = 10_000;
const PAUSE_MS = 250;

/** That no other server uses a database: a lock of a connection, which goes with the process. */
export interface SoleUse extends AsyncDisposable {
  /** Resolves when the lock is lost, with its connection. */
  readonly lost: Promise<DataFolderError>;
}

/** @throws DataFolderError while another server uses the database. */
export async function takeSoleUse(config: ClientConfig): Promise<SoleUse> {
  const client = new Client({ ...config, keepAlive: true });
  const { promise: lost, resolve: lose } = Promise.withResolvers<DataFolderError>();
  let isDisposed = false;
  const end = () => {
    if (!isDisposed)
      lose(new DataFolderError('The connection to the database was lost. Start this server again.'));
  };
  client.on('error', end).on('end', end);
  await client.connect();
  for (const began = Date.now(); !(await isTaken(client)); ) {
    if (Date.now() - began > WAIT_MS) {
      isDisposed = true;
      await client.end();
      throw new DataFolderError(
        'Another server uses this database. Stop it first, or choose another database.',
      );
    }
    await sleep(PAUSE_MS);
  }
  return {
    lost,
    [Symbol.asyncDispose]: () => {
      isDisposed = true;
      return client.end();
    },
  };
}

async function isTaken(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [LOCK]);
  return rows[0]?.taken === true;
}
