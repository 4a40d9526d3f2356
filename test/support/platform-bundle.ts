import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { projectRoot } from './cache.ts';

/** What a process that serves the platform is started with: its script, and the bundle of its storage thread. */
export interface PlatformBundle {
  readonly script: string;
  readonly worker: string;
}

let made: Promise<PlatformBundle> | undefined;

/** The platform of the tests as two bundles, made once: a process starts from them in a fifth of the time. */
export function platformBundle(): Promise<PlatformBundle> {
  made ??= bundle();
  return made;
}

async function bundle(): Promise<PlatformBundle> {
  const folder = await mkdtemp(path.join(tmpdir(), 'agent-harbor-platform-bundle-'));
  await build({
    entryPoints: {
      platform: path.join(projectRoot, 'test/support/platform-process.ts'),
      'traces-worker': path.join(projectRoot, 'src/server/traces-thread/main.ts'),
    },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22.16',
    mainFields: ['module', 'main'],
    logLevel: 'error',
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
  return { script: path.join(folder, 'platform.mjs'), worker: path.join(folder, 'traces-worker.mjs') };
}
