import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** The folder in which an update keeps a copy of each database that it changes. */
export function backupsFolder(dataDir: string): string {
  return path.join(dataDir, 'backups');
}

/** The newest copy of a database; undefined when no update has changed it. @param name the database's name without `.db`. */
export function findBackup(dataDir: string, name: string): string | undefined {
  const folder = backupsFolder(dataDir);
  const copies = existsSync(folder) ? readdirSync(folder) : [];
  // The copies are named after migrations, which are numbered.
  const newest = copies
    .filter((file) => file.startsWith(`${name}.before-`) && file.endsWith('.db'))
    .sort()
    .at(-1);
  return newest && path.join(folder, newest);
}
