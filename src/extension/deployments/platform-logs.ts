import * as vscode from 'vscode';
import type { LogPage } from '../../contract/control-plane/logs.ts';
import type { PlatformConnection } from '../connections/connection.ts';
import { sentenceOf } from '../dialogs/errors.ts';
import { shortId } from '../wording/format.ts';
import { LogChannel } from './log-channel.ts';

/** The maximum number of lines per request. */
const MAX_LINES = 500;
/** The pause between requests, which grows up to the maximum while there is nothing new. */
const POLL_MS = 1_500;
const MAX_POLL_MS = 15_000;

/** The statuses of a revision whose build may still write lines. */
const BUILDING: readonly string[] = ['CREATING', 'QUEUED', 'AWAITING_BUILD', 'BUILDING', 'UNKNOWN'];

/** A log of a deployment on a platform. */
export interface PlatformLog {
  readonly connection: PlatformConnection;
  readonly deploymentId: string;
  readonly name: string;
  /** The revision whose build log is shown; undefined for the log of the deployment itself. */
  readonly revisionId?: string | undefined;
}

interface Followed {
  readonly channel: LogChannel;
  readonly stop: AbortController;
}

/**
 * Shows the logs of deployments on platforms, each in its own output channel, which is created on first use.
 */
export class PlatformLogs implements vscode.Disposable {
  readonly #followed = new Map<string, Followed>();

  /** Shows a log, and follows it unless it is being followed already. */
  show(log: PlatformLog): void {
    const key = [log.connection.id, log.deploymentId, log.revisionId].join('/');
    const before = this.#followed.get(key);
    const channel = before?.channel ?? new LogChannel(titleOf(log));
    channel.show();
    if (before !== undefined && !before.stop.signal.aborted) return;
    const followed = { channel, stop: new AbortController() };
    this.#followed.set(key, followed);
    channel.clear();
    void this.#follow(log, followed);
  }

  dispose(): void {
    for (const { channel, stop } of this.#followed.values()) {
      stop.abort();
      channel.dispose();
    }
  }

  async #follow(log: PlatformLog, { channel, stop }: Followed): Promise<void> {
    const { signal } = stop;
    let wasInTrouble = false;
    try {
      const { followLogs } = await import('../../deploy/follow-logs.ts');
      const entries = followLogs((body) => read(log, body, signal), {
        limit: MAX_LINES,
        signal,
        pollMs: POLL_MS,
        maxPollMs: MAX_POLL_MS,
        hasMore: () => hasMore(log, signal),
        onTrouble: (error) => {
          if (!wasInTrouble)
            channel.say(vscode.l10n.t('Could not read the log: {0} Retrying…', sentenceOf(error)), 'WARNING');
          wasInTrouble = true;
        },
      });
      for await (const entry of entries) {
        wasInTrouble = false;
        channel.write(entry);
      }
      channel.say(vscode.l10n.t('End of log.'));
    } catch (error) {
      if (!signal.aborted) channel.say(sentenceOf(error), 'WARNING');
    } finally {
      // When the log is shown again, it is followed from the start.
      stop.abort();
    }
  }
}

async function read(
  { connection, deploymentId: deployment_id, revisionId: revision_id }: PlatformLog,
  body: object,
  signal: AbortSignal,
): Promise<LogPage> {
  // The connection may have been lost in the meantime, and replaced.
  const { deploymentLogs } = await connection.connect();
  if (revision_id === undefined)
    return deploymentLogs.deploy({ params: { deployment_id }, body }, { signal });
  return deploymentLogs.build({ params: { deployment_id, revision_id }, body }, { signal });
}

/** Whether lines may still come: builds end, deployments keep logging. */
async function hasMore(
  { connection, deploymentId: deployment_id, revisionId: revision_id }: PlatformLog,
  signal: AbortSignal,
): Promise<boolean> {
  if (revision_id === undefined) return true;
  try {
    const client = await connection.connect();
    const { status } = await client.revisions.get({ params: { deployment_id, revision_id } }, { signal });
    return BUILDING.includes(status);
  } catch {
    // The build may still be running if its status cannot be read.
    return true;
  }
}

function titleOf({ connection, name, revisionId }: PlatformLog): string {
  return revisionId === undefined
    ? vscode.l10n.t('{0} on {1}', name, connection.label)
    : vscode.l10n.t('Build of {0} on {1} ({2})', name, connection.label, shortId(revisionId));
}
