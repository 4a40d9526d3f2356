import { RunCreate } from '../../src/contract/agent-server/runs.ts';
import { NOBODY } from '../../src/server/agent-server/auth/run-author.ts';
import type { LiveRun } from '../../src/server/agent-server/runs/live-run.ts';
import type { StateDatabase } from '../../src/server/storage/state-database.ts';
import { DEPLOYMENT } from './deployment-database.ts';
import { type Executions, makeScheduler, SLOTS } from './run-scheduler.ts';

export type SharedServer = ReturnType<typeof makeScheduler>;

/** Servers of one deployment that share a database; nothing executes their runs. */
export async function startServers(
  databases: readonly StateDatabase[],
  executions: Executions,
  slots = SLOTS,
): Promise<SharedServer[]> {
  const servers = databases.map((db) => makeScheduler(db, executions, slots));
  for (const { db, scheduler } of servers) {
    await db.serve(DEPLOYMENT);
    await scheduler.recover();
  }
  return servers;
}

/** Makes a thread. @returns its ID. */
export async function makeThread({ threads, db }: SharedServer): Promise<string> {
  const row = threads.makeRow(crypto.randomUUID(), {});
  await db.commit((unit) => threads.insert(unit, row), row.thread_id);
  return row.thread_id;
}

/** Requests a run on a thread from a server. @param more fields of the request */
export function acceptRun(server: SharedServer, threadId: string, more: object = {}): Promise<LiveRun> {
  const request = RunCreate.parse({ assistant_id: 'a', input: {}, ...more });
  return server.requests.createOnThread(threadId, request, NOBODY);
}
