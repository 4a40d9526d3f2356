import { IdleMemory } from '../../src/process/idle-memory.ts';
import { ALL_ROLES } from '../../src/server/roles.ts';
import type { ServerOptions } from '../../src/server/server-options.ts';

/** The options of a server in tests, except for its folder, its log and its programs. */
export const serverOptions: Omit<ServerOptions, 'folder' | 'logger' | 'programs'> = {
  version: '0.0.0-test',
  port: 0,
  presence: { graceMs: undefined, holderGraceMs: 30_000 },
  roles: ALL_ROLES,
  runs: { concurrency: 10, timeLimitMs: 3_600_000, continueAfterCrash: true },
  builds: { installTimeoutMs: 600_000, githubApi: 'https://api.github.com' },
  sleepAfterMs: 300_000,
  // Collecting the garbage of a process that runs tests takes a tenth of their processor time.
  memory: new IdleMemory(() => {}),
};
