const MARK = 'AGENT_HARBOR_MALLOC';

/**
 * Settings for the C library of most Linux systems. Without them, every thread of V8 would keep freed memory in its own
 * pool, including large pieces: 10 MB in an idle process, and 10 to 20 MB after a burst. Other systems ignore them.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '65536',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

/**
 * Variables for a process of ours that calls `forgetMallocSettings` when it starts.
 * @param environment the process's other variables; the user's own settings are left unchanged.
 */
export function mallocSettings(environment: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  return Object.keys(environment).some((name) => name.startsWith('MALLOC_'))
    ? {}
    : { ...SETTINGS, [MARK]: '1' };
}

/** Removes the settings, which the C library has already read, so that child processes and users' code do not see them. */
export function forgetMallocSettings(environment: NodeJS.ProcessEnv = process.env): void {
  if (environment[MARK] === undefined) return;
  for (const name of [...Object.keys(SETTINGS), MARK]) delete environment[name];
}
