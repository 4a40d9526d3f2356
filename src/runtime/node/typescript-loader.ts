import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

/**
 * Makes `import` understand the project's TypeScript: the user's own `tsx`, else Node's type stripping.
 *
 * @param projectDir where the project's packages are looked up
 * @param files the modules of the graphs; without TypeScript among them nothing is done
 * @returns how modules are loaded, in words
 */
export async function loadTypeScript(projectDir: string, files: readonly string[]): Promise<string> {
  const plain = `Node ${process.versions.node}`;
  if (!files.some((file) => /\.(?:[cm]?ts|[jt]sx)$/.test(file))) return plain;
  const tsx = await registerTsx(projectDir);
  if (tsx !== undefined) return `tsx ${tsx}`;
  return `type stripping of ${plain}`;
}

async function registerTsx(projectDir: string): Promise<string | undefined> {
  const require = createRequire(path.join(projectDir, 'package.json'));
  let api: { esm: string; cjs: string; manifest: { version: string } };
  try {
    api = {
      esm: esmVariant(require.resolve('tsx/esm/api')),
      cjs: require.resolve('tsx/cjs/api'),
      manifest: require('tsx/package.json'),
    };
  } catch {
    return undefined;
  }
  const [esm, cjs]: { register(): void }[] = await Promise.all([
    import(pathToFileURL(api.esm).href),
    import(pathToFileURL(api.cjs).href),
  ]);
  cjs?.register();
  esm?.register();
  return api.manifest.version;
}

/** On Node 20 tsx finds its loader beside its own file, where only its ES module has it. */
function esmVariant(file: string): string {
  const variant = file.replace(/\.cjs$/, '.mjs');
  return existsSync(variant) ? variant : file;
}
