import { pathToFileURL } from 'node:url';
import type { Programs } from '../../src/server/server-options.ts';
import { bundlePrograms } from './bundled-programs.ts';

/** The threads and the helper of a server, without the runtimes of graphs. */
export type ServerBundles = Omit<Programs, 'nodeRuntime' | 'pythonRuntime'>;

let made: Promise<ServerBundles> | undefined;

/**
 * Bundled once for these tests: a thread starts with half the processor time that its sources take, a process with a
 * fifth.
 */
export function serverBundles(): Promise<ServerBundles> {
  made ??= bundle();
  return made;
}

async function bundle(): Promise<ServerBundles> {
  const bundleOf = await bundlePrograms({
    'traces-worker': 'src/server/traces-worker.ts',
    'traces-link': 'src/server/team/traces/link-main.ts',
    heartbeat: 'src/server/team/postgres/heartbeat/main.ts',
    'build-guard': 'src/server/control-plane/builds/guard.ts',
  });
  return {
    tracesWorker: pathToFileURL(bundleOf('traces-worker')),
    tracesLink: pathToFileURL(bundleOf('traces-link')),
    heartbeat: pathToFileURL(bundleOf('heartbeat')),
    buildGuard: bundleOf('build-guard'),
  };
}
