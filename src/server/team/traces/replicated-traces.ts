import type { ReplicaOutcome } from '../../traces-thread/worker-protocol.ts';
import { openTracesLink, PostgresTraces } from './postgres-traces.ts';
import { ReplicatedLink } from './replicated-link.ts';

/** Traces that are only read, and how to query them. */
interface ReplicatedTraces {
  readonly db: PostgresTraces;
  readonly ask: <Result>(work: () => Result) => Result;
}

/**
 * Opens the traces of a team's database for a thread that reads, with a replica of the database. The replica
 * need not be available.
 * @param tell receives the outcome of each query.
 * @throws DataFolderError when the database cannot be used.
 */
export async function openReplicatedTraces(
  { url, replica, thread }: { readonly url: string; readonly replica: string; readonly thread: URL },
  tell: (outcome: ReplicaOutcome) => void,
): Promise<ReplicatedTraces> {
  const [primary, copy] = await Promise.all([
    openTracesLink({ url, thread }, 'read'),
    openTracesLink({ url: replica, thread, isReplica: true }, 'read'),
  ]);
  const link = new ReplicatedLink(primary, copy, tell);
  return { db: new PostgresTraces(link, 'read', false), ask: (work) => link.question(work) };
}
