import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { isRecord } from '../langgraph-types.ts';

/**
 * The conditions of a package's `exports`: many packages have both forms, which become two copies when
 * loaded.
 */
export type ModuleFormat = 'import' | 'require';

/** A package that is installed for the user's project. */
export interface InstalledPackage {
  readonly folder: string;
  readonly version: string;
  readonly exports: unknown;
}

/** Imports one of the package's modules; an empty module when it does not exist. */
export async function importFrom(
  installed: InstalledPackage,
  subpath: string,
  format: ModuleFormat,
): Promise<Record<string, unknown>> {
  const file = exportedFile(installed, subpath, format);
  if (file === undefined) return {};
  const module: unknown =
    format === 'require' ? createRequire(file)(file) : await import(pathToFileURL(file).href);
  return isRecord(module) ? module : {};
}

/**
 * Loads an ES module and all of its imports synchronously, which is faster. Later imports get the same
 * modules. Does nothing if Node cannot do this, if a module has a top-level await, or if NODE_OPTIONS is set:
 * it may add hooks for imports, such as OpenTelemetry's, which this would bypass.
 */
export function loadAtOnce(installed: InstalledPackage): void {
  const file = exportedFile(installed, '.', 'import');
  const isHooked = (process.env.NODE_OPTIONS ?? '') !== '';
  if (file === undefined || isHooked || !process.features.require_module) return;
  try {
    createRequire(file)(file);
  } catch {
    // The import that follows reports the reason.
  }
}

/**
 * Finds the file of a module by the part of Node's `exports` lookup that these packages need: an exact
 * subpath, then nested conditions.
 */
export function exportedFile(
  installed: InstalledPackage,
  subpath: string,
  format: ModuleFormat,
): string | undefined {
  let target: unknown = isRecord(installed.exports) ? installed.exports[subpath] : undefined;
  while (isRecord(target)) target = target[format] ?? target.node ?? target.default;
  return typeof target === 'string' ? path.join(installed.folder, target) : undefined;
}

/** Finds a package as the module `file` resolves it, with links followed as in Node. */
export function findInstalled(name: string, file: string): InstalledPackage | undefined {
  let entry: string;
  try {
    entry = createRequire(file).resolve(name);
  } catch {
    // The package is not installed.
    return undefined;
  }
  for (let folder = path.dirname(entry); path.dirname(folder) !== folder; folder = path.dirname(folder)) {
    const manifest = readManifest(path.join(folder, 'package.json'));
    if (manifest?.name === name) {
      return { folder, version: String(manifest.version), exports: manifest.exports };
    }
  }
  return undefined;
}

function readManifest(file: string): Record<string, unknown> | undefined {
  if (!existsSync(file)) return undefined;
  const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return isRecord(manifest) ? manifest : undefined;
}
