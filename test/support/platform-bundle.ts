import { fileURLToPath } from 'node:url';
import { bundlePrograms } from './bundled-programs.ts';
import { serverBundles } from './server-bundles.ts';

/** The files that a process serving the platform is started with: its script, and the bundles of its storage threads. */
export interface PlatformBundle {
  readonly script: string;
  readonly worker: string;
  readonly link: string;
}

let made: Promise<PlatformBundle> | undefined;

/** The platform for tests as two bundles, made once: a process starts from them in a fifth of the time. */
export function platformBundle(): Promise<PlatformBundle> {
  made ??= bundle();
  return made;
}

async function bundle(): Promise<PlatformBundle> {
  const [bundleOf, { tracesWorker, tracesLink }] = await Promise.all([
    bundlePrograms({ platform: 'test/support/platform-process.ts' }),
    serverBundles(),
  ]);
  return {
    script: bundleOf('platform'),
    worker: fileURLToPath(tracesWorker),
    link: fileURLToPath(tracesLink),
  };
}
