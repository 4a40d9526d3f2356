import { bundlePrograms } from './bundled-programs.ts';

/** The files that a process serving the platform is started with: its script, and the bundles of its storage threads. */
export interface PlatformBundle {
  readonly script: string;
  readonly worker: string;
  readonly link: string;
}

let made: Promise<PlatformBundle> | undefined;

/** The platform of the tests as two bundles, made once: a process starts from them in a fifth of the time. */
export function platformBundle(): Promise<PlatformBundle> {
  made ??= bundle();
  return made;
}

async function bundle(): Promise<PlatformBundle> {
  const bundleOf = await bundlePrograms({
    platform: 'test/support/platform-process.ts',
    'traces-worker': 'src/server/traces-thread/main.ts',
    'traces-link': 'src/server/traces-thread/link-main.ts',
  });
  return { script: bundleOf('platform'), worker: bundleOf('traces-worker'), link: bundleOf('traces-link') };
}
