import type { DatabaseSync } from 'node:sqlite';

/** The idle time before a checkpoint, so that there is none between requests in quick succession. */
const QUIET_MS = 2_000;

/**
 * Merges the write-ahead log into the database file when nothing has been written for a while, so that the file is complete
 * without the log.
 */
export function checkpointWhenIdle(database: DatabaseSync): void {
  const count = database.prepare('SELECT total_changes() AS changes');
  let seen: unknown;
  let isInFile = false;
  const timer = setInterval(() => {
    if (!database.isOpen) return clearInterval(timer);
    const changes = count.get()?.changes;
    if (changes !== seen) {
      seen = changes;
      isInFile = false;
    } else if (!isInFile && !database.isTransaction) {
      isInFile = checkpoint(database);
    }
  }, QUIET_MS).unref();
}

/** Merges the parts of the write-ahead log that no reader needs into the file. @returns whether the file is complete. */
export function checkpoint(database: DatabaseSync): boolean {
  try {
    const { busy, log, checkpointed } = database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get() ?? {};
    return busy === 0 && log === checkpointed;
  } catch {
    // For example, the disk is full. The next checkpoint tries again.
    return false;
  }
}
