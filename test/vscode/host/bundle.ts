import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import { projectRoot } from '../../support/cache.ts';
import type { MochaRunOptions } from './run-mocha.ts';

export interface Bundle {
  /** The module to give as `extensionTestsPath`. */
  readonly file: string;
  remove(): Promise<void>;
}

/** Bundles test files into one CommonJS module that exports `run()`, as an extension host requires. */
export async function bundleTests(files: readonly string[], options: MochaRunOptions): Promise<Bundle> {
  // Inside the project, so that the module finds mocha in its node_modules.
  const root = path.join(projectRoot, '.cache', 'extension-host-tests');
  await mkdir(root, { recursive: true });
  const folder = await mkdtemp(path.join(root, 'run-'));
  const file = path.join(folder, 'suite.cjs');
  const source = (module: string): string => JSON.stringify(path.resolve(module));
  await build({
    stdin: {
      contents: `
        import { runMocha } from ${source(path.join(import.meta.dirname, 'run-mocha.ts'))};
        export const run = () => runMocha(async () => {
          ${files.map((test) => `await import(${source(test)});`).join('\n')}
        }, ${JSON.stringify(options)});`,
      resolveDir: projectRoot,
      loader: 'ts',
    },
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22.16',
    external: ['vscode', 'mocha'],
    // As for the extension itself (esbuild.mjs).
    mainFields: ['module', 'main'],
    loader: { '.wasm': 'binary' },
    define: { 'import.meta.dirname': '__dirname' },
    sourcemap: true,
    logLevel: 'warning',
  });
  return { file, remove: () => rm(folder, { recursive: true, force: true }) };
}
