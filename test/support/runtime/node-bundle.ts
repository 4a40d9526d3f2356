import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { projectRoot } from '../cache.ts';

/** The Python runtime needs no build. */
export const pythonRuntime = path.join(projectRoot, 'src', 'runtime', 'python', 'main.py');

let runtimeBundle: Promise<string> | undefined;

/** The Node runtime, bundled once for these tests, so that they never run an older build. */
export function nodeRuntime(): Promise<string> {
  runtimeBundle ??= bundleRuntime();
  return runtimeBundle;
}

async function bundleRuntime(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'agent-harbor-runtime-'));
  await build({
    entryPoints: {
      'runtime-node': path.join(projectRoot, 'src/runtime/node/main.ts'),
      'runtime-node-explain-import': path.join(projectRoot, 'src/runtime/node/loading/explain-import.ts'),
      'runtime-node-hooks': path.join(projectRoot, 'src/runtime/node/typescript/typescript-hooks.ts'),
      'runtime-node-http': path.join(projectRoot, 'src/runtime/node/exchanges/http-interceptors.ts'),
    },
    outdir: folder,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
  await build({
    entryPoints: {
      'runtime-node-compiler': path.join(projectRoot, 'src/runtime/node/typescript/typescript-compiler.ts'),
    },
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    logLevel: 'error',
  });
  // The same file is beside the product's own runtime. Without it, hooks that load TypeScript would take the bundle for
  // CommonJS.
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  return path.join(folder, 'runtime-node.js');
}
