import path from 'node:path';
import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';
import { jsonOrUndefined } from '../../process/json-or-undefined.ts';
import { isTooOld, OLDEST_LANGGRAPH } from '../../process/langgraph-version.ts';
import { isObject } from '../../process/objects.ts';
import { type ConfigDocument, rangeOfGraphsKey } from '../config-document.ts';
import { ancestorsOf, listFoldersAround } from '../folders-around.ts';
import { addCommand, findPackageManager } from '../install/package-manager.ts';
import { joinNames } from '../join-names.ts';
import { type Problem, range } from '../problem.ts';
import type { ProjectFiles } from '../project-files.ts';
import { sourceLanguage, splitReference } from '../reference.ts';
import type { CheckInput } from './check-input.ts';

/** The maximum number of packages in one sentence. */
const MAX_NAMED = 5;

const LANGGRAPH = '@langchain/langgraph';

interface Manifest {
  readonly file: string;
  readonly text: string;
}

/**
 * Finds dependencies in the package.json nearest to each graph that are not installed, and a LangGraph that
 * is too old.
 */
export async function checkNodePackages({ config, files }: CheckInput): Promise<Problem[]> {
  const byManifest = new Map<string, { manifest: Manifest; from: string }>();
  for (const from of graphFolders(config)) {
    const manifest = await findNearestFile(files, from, 'package.json');
    if (manifest !== undefined && !byManifest.has(manifest.file))
      byManifest.set(manifest.file, { manifest, from });
  }
  const found = await Promise.all(
    [...byManifest.values()].map(({ manifest, from }) => checkManifest({ config, files }, manifest, from)),
  );
  return found.flat();
}

/** The folders of the graphs' files, and that of langgraph.json. */
function graphFolders({ dir, references }: ConfigDocument): Set<string> {
  const folders = references.flatMap(({ kind, node }) => {
    const { place } = splitReference(node.value);
    return kind === 'graph' && sourceLanguage(place) === 'javascript'
      ? [path.dirname(path.resolve(dir, place))]
      : [];
  });
  return new Set([dir, ...folders]);
}

/** Checks the packages of a package.json. @param from the folder of the graph's file, where packages are looked up */
async function checkManifest(
  { config, files }: Pick<CheckInput, 'config' | 'files'>,
  manifest: Manifest,
  from: string,
): Promise<Problem[]> {
  // Yarn's Plug'n'Play does not use node_modules.
  if ((await findNearestFile(files, from, '.pnp.cjs')) !== undefined) return [];
  const problems: Problem[] = [];
  const place = placeOf(config, path.dirname(manifest.file));
  const inPlace = place === '' ? '' : ` in ${place}`;
  const around = await findPackageManager(files, await listFoldersAround(path.dirname(manifest.file), files));
  const manager = around?.manager ?? 'npm';
  const missing = await findMissing(files, manifest, from);
  const [first] = missing;
  const at = {
    file: config.file,
    range: rangeOfGraphsKey(config),
    severity: 'error',
    code: 'dependency',
  } as const;
  if (first !== undefined) {
    const names = joinNames(
      missing.map(({ name }) => name),
      MAX_NAMED,
    );
    const source = place === '' ? 'package.json' : `${place}/package.json`;
    problems.push({
      ...at,
      message: `${names} in ${source} ${missing.length === 1 ? 'is' : 'are'} not installed. Run ${manager} install${inPlace}.`,
      related: requiredAt(manifest, first.node),
    });
  }
  const version = await readInstalledVersion(files, from, LANGGRAPH);
  if (version !== undefined && isTooOld(version))
    problems.push({
      ...at,
      message: `${LANGGRAPH} ${version} is too old. Version ${OLDEST_LANGGRAPH} or later is required. Run ${addCommand(manager)} ${LANGGRAPH}@latest @langchain/core@latest${inPlace}.`,
    });
  return problems;
}

/** The folder to show, relative to that of langgraph.json; empty for that folder and those above it. */
function placeOf({ dir }: ConfigDocument, folder: string): string {
  const place = path.relative(dir, folder).split(path.sep).join('/');
  return place.startsWith('..') ? '' : place;
}

async function findMissing(
  files: ProjectFiles,
  { text }: Manifest,
  from: string,
): Promise<{ name: string; node: Node }[]> {
  const root = parseTree(text);
  const dependencies = root === undefined ? undefined : findNodeAtLocation(root, ['dependencies']);
  const missing: { name: string; node: Node }[] = [];
  for (const property of dependencies?.children ?? []) {
    const node = property.children?.[0];
    const name: unknown = node?.value;
    if (node !== undefined && typeof name === 'string' && !(await isInstalled(files, from, name)))
      missing.push({ name, node });
  }
  return missing;
}

function requiredAt({ file, text }: Manifest, { offset, length }: Node): Problem['related'] {
  const start = text.slice(0, offset).split('\n');
  const column = start.at(-1)?.length ?? 0;
  const line = start.length - 1;
  return { file, range: range(line, column, line, column + length), message: 'Required here' };
}

async function isInstalled(files: ProjectFiles, dir: string, name: string): Promise<boolean> {
  for (const folder of ancestorsOf(dir)) {
    if ((await files.kind(path.join(folder, 'node_modules', name))) === 'folder') return true;
  }
  return false;
}

async function readInstalledVersion(
  files: ProjectFiles,
  dir: string,
  name: string,
): Promise<string | undefined> {
  const manifest = await findNearestFile(files, dir, path.join('node_modules', name, 'package.json'));
  const read = manifest === undefined ? undefined : jsonOrUndefined(manifest.text);
  return isObject(read) && typeof read.version === 'string' ? read.version : undefined;
}

async function findNearestFile(
  files: ProjectFiles,
  dir: string,
  name: string,
): Promise<Manifest | undefined> {
  for (const folder of ancestorsOf(dir)) {
    const file = path.join(folder, name);
    const text = await files.read(file);
    if (text !== undefined) return { file, text };
  }
  return undefined;
}
