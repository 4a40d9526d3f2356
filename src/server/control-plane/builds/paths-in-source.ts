import { readlink, realpath } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { BuildError } from '../../../project/build-error.ts';
import type { ConfigDocument, ReferenceNode } from '../../../project/config-document.ts';
import { isInside } from '../../../project/paths.ts';
import { readText } from '../../../project/read-text.ts';
import { isModuleName, moduleFiles, splitReference } from '../../../project/reference.ts';

/** Longer chains of links, which Linux does not follow either, count as outside. */
const MAX_LINKS = 40;

/**
 * Refuses a source whose langgraph.json refers to files outside the source, because only the source is deployed. The
 * schema of langgraph.json marks the values that are paths (`x-reference`). No path is opened.
 * @param top the real path of the source's folder.
 * @param configPath absolute path of a langgraph.json in it.
 * @throws BuildError
 */
export async function requireInSource(top: string, configPath: string): Promise<void> {
  // The parser is loaded on demand, because it is large, and only builds need it here.
  const { makeJsonService, readConfigDocument, keysOf } = await import('../../../project/config-document.ts');
  const config = await readConfigDocument(makeJsonService(), configPath, await readText(configPath));
  for (const reference of config.references) {
    for (const file of filesOf(config, reference)) {
      const real = await realOf(file);
      if (real !== top && !isInside(top, real))
        throw new BuildError(`'${keysOf(reference.node)}' in langgraph.json points outside the source.`);
    }
  }
}

/** The files and folders that a value may refer to, as absolute paths. */
function filesOf({ dir }: ConfigDocument, { kind, node }: ReferenceNode): string[] {
  const { value } = node;
  switch (kind) {
    case 'graph':
    case 'export':
    // `openai:text-embedding-3-small` looks like a path in the source, which is harmless.
    case 'embedding':
      return placesOf(dir, splitReference(value).place);
    case 'dependency':
      return placesOfDependency(dir, value);
    case 'file':
    case 'folder':
    case 'env-file':
      return [path.resolve(dir, value)];
  }
}

function placesOf(dir: string, place: string): string[] {
  return [path.resolve(dir, place), ...(isModuleName(place) ? moduleFiles(dir, place) : [])];
}

/** A dependency is a folder, a package with a `file:` or `git+file:` URL (PEP 508), or only the name of a package. */
function placesOfDependency(dir: string, value: string): string[] {
  const url = /(?:^|@\s*)(?:\w+\+)?(file:[^\s;#]*)/i.exec(value)?.[1];
  if (url !== undefined) return [placeOfFileUrl(dir, url)];
  // The name of a package neither begins with a dot nor contains a slash.
  return /^\.|[\\/]/.test(value) && !value.includes('://') ? [path.resolve(dir, value)] : [];
}

function placeOfFileUrl(dir: string, url: string): string {
  try {
    return /^file:\//i.test(url) ? fileURLToPath(url) : path.resolve(dir, url.slice('file:'.length));
  } catch {
    // A URL of another host is outside of every source.
    return path.parse(dir).root;
  }
}

/** The target of a path; for a path that does not exist, also through links, the target of its existing part. */
async function realOf(file: string, linksLeft = MAX_LINKS): Promise<string> {
  const above = path.dirname(file);
  if (above === file || linksLeft === 0) return path.parse(file).root;
  try {
    return await realpath(file);
  } catch {
    // Fails for everything that is not a link, and for what does not exist.
    const target = await readlink(file).catch(() => undefined);
    if (target !== undefined)
      return realOf(path.resolve(await realOf(above, linksLeft), target), linksLeft - 1);
    return path.join(await realOf(above, linksLeft), path.basename(file));
  }
}
