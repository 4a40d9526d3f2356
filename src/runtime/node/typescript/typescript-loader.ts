import module from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { findInstalled, type InstalledPackage, importFrom } from '../langgraph/installed-package.ts';

/** The names of modules that Node cannot import itself: TypeScript and JSX. */
const NOT_JAVASCRIPT = /\.(?:[cm]?ts|[jt]sx)$/;

/**
 * A separate bundle next to this file, because few projects need it, and on Node 20 it runs in a separate
 * thread.
 */
export const hooksUrl = new URL(
  import.meta.url.endsWith('.ts') ? './typescript-hooks.ts' : './runtime-node-hooks.js',
  import.meta.url,
).href;

/** How TypeScript is loaded; undefined until a TypeScript module has been imported. */
let loading: Promise<string> | undefined;

/**
 * Makes `import` load the project's TypeScript: with the user's own `tsx`, else with sucrase and TypeScript's
 * compiler, which are bundled. Node's own type stripping does not suffice, because it keeps imports of types
 * and ignores tsconfig.json.
 * @param projectDir where the project's packages are looked up
 * @param files the modules of the graphs; without TypeScript among them this does nothing
 * @returns how modules are loaded, in words
 * @throws Error when this Node has no way to load TypeScript
 */
export async function loadTypeScript(projectDir: string, files: readonly string[]): Promise<string> {
  if (!files.some((file) => NOT_JAVASCRIPT.test(file))) return `Node ${process.versions.node}`;
  loading ??= registerLoader(projectDir, files);
  return loading;
}

async function registerLoader(projectDir: string, files: readonly string[]): Promise<string> {
  const node = `Node ${process.versions.node}`;
  const tsx = await registerTsx([path.join(projectDir, 'index.js'), ...files]);
  if (tsx !== undefined) return `tsx ${tsx}`;
  if (typeof module.registerHooks === 'function') {
    const { resolveSync, loadSync } = await import(hooksUrl);
    module.registerHooks({ resolve: resolveSync, load: loadSync });
    return `sucrase on ${node}`;
  }
  if (typeof module.register !== 'function') {
    throw new Error(`${node} cannot load TypeScript. Use Node 20.6 or later, or install tsx.`);
  }
  module.register(hooksUrl);
  return `sucrase on ${node}`;
}

/**
 * Registers the user's own `tsx`.
 * @param importers files from which `tsx` is looked up, best first
 * @returns its version; undefined if it is not installed
 */
async function registerTsx(importers: readonly string[]): Promise<string | undefined> {
  const tsx = importers.reduce<InstalledPackage | undefined>(
    (found, importer) => found ?? findInstalled('tsx', importer),
    undefined,
  );
  if (tsx === undefined) return undefined;
  // The entries are imported as ES modules, because on Node 20, tsx looks for its loader next to its own
  // file, and only the ES modules have a loader there.
  for (const entry of ['./cjs/api', './esm/api']) {
    const { register } = await importFrom(tsx, entry, 'import');
    if (typeof register !== 'function') return undefined;
    register();
  }
  return tsx.version;
}
