import type { Client } from '../client/client.ts';
import { RevisionFailedError, type WaitOptions, waitForRevision } from '../client/wait-for-revision.ts';
import type { LogEntry } from '../contract/control-plane/logs.ts';
import type { Revision } from '../contract/control-plane/revisions.ts';
import { startAt } from './follow-logs.ts';

const PAGE_SIZE = 200;
/** How many of the last lines of the revision's log are shown when its deployment failed. */
const LAST_LINES = 20;

export interface RevisionRef {
  readonly deployment_id: string;
  readonly revision_id: string;
}

/**
 * Waits for a revision and shows its build log and statuses.
 * @param pause waits between two polls; by default, for a fixed time.
 * @throws what `waitForRevision` throws, after the last lines of the logs were shown.
 */
export async function followRevision(
  client: Client,
  params: RevisionRef,
  show: { status(revision: Revision): void; line(entry: LogEntry): void },
  signal: AbortSignal,
  pause?: WaitOptions['pause'],
): Promise<Revision> {
  const shown = new Set<string>();
  let start: { offset?: string; start_time?: string } = {};
  const showBuild = async () => {
    for (;;) {
      // If the log cannot be read, the wait for the revision continues.
      const page = await client.deploymentLogs
        .build({ params, body: { order: 'asc', limit: PAGE_SIZE, ...start } }, { signal, retries: 0 })
        .catch(() => undefined);
      const { logs = [], next_offset } = page ?? {};
      // Without an offset, the lines of the last line's millisecond are returned again.
      const fresh = logs.filter(({ id }) => !shown.has(id));
      for (const entry of fresh) {
        shown.add(entry.id);
        show.line(entry);
      }
      if (next_offset) start = { offset: next_offset };
      else if (logs.length > 0) start = startAt(logs.at(-1)?.timestamp);
      if (logs.length < PAGE_SIZE || fresh.length === 0) return;
    }
  };
  try {
    const revision = await waitForRevision(client.revisions, params, {
      signal,
      pause,
      onStatus: show.status,
      beforePoll: showBuild,
    });
    await showBuild();
    return revision;
  } catch (error) {
    if (error instanceof RevisionFailedError) {
      await showBuild();
      if (error.revision.status === 'DEPLOY_FAILED') await showLastDeployLines();
    }
    throw error;
  }

  async function showLastDeployLines(): Promise<void> {
    const body = { order: 'desc' as const, limit: LAST_LINES };
    // If the log cannot be read, the error still gives the revision's own message.
    const page = await client.deploymentLogs
      .deployOfRevision({ params, body }, { signal })
      .catch(() => undefined);
    for (const entry of page?.logs.toReversed() ?? []) show.line(entry);
  }
}
