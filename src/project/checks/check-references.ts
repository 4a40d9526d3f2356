import path from 'node:path';
import type { StringASTNode } from 'vscode-json-languageservice';
import { type ReferenceNode, rangeInString } from '../config-document.ts';
import type { ExportedNames } from '../exports/exported-names.ts';
import { readModuleExports } from '../exports/module-exports.ts';
import { findGraphs } from '../find-graphs.ts';
import { findSpelling } from '../find-spelling.ts';
import { joinNames } from '../join-names.ts';
import { nearest } from '../nearest.ts';
import type { Fix, Problem } from '../problem.ts';
import { isModuleName, moduleFiles, sourceLanguage, splitReference } from '../reference.ts';
import type { CheckInput } from './check-input.ts';

/** The maximum number of exports in one sentence. */
const MAX_NAMED = 10;
/** The maximum number of files searched for a graph to suggest, because this is done while the user types. */
const MAX_SEARCHED = 200;
/** The maximum number of suggested fixes of one kind. */
const MAX_FIXES = 5;

/** Finds references in langgraph.json to files, folders and exports that do not exist or have the wrong kind. */
export async function checkReferences(input: CheckInput): Promise<Problem[]> {
  const found = await Promise.all(
    input.config.references.map((reference) => checkReference(input, reference)),
  );
  return found.filter((problem) => problem !== undefined);
}

async function checkReference(
  input: CheckInput,
  { kind, node }: ReferenceNode,
): Promise<Problem | undefined> {
  switch (kind) {
    case 'file':
    case 'folder':
      return checkPath(input, node, kind);
    case 'graph':
    case 'export':
      return checkExport(input, node, kind === 'graph');
    case 'embedding':
      return isPlaceOfExport(node.value) ? checkExport(input, node, false) : undefined;
    case 'env-file':
    case 'dependency':
      // These references are checked in check-env.ts and check-dependencies.ts.
      return undefined;
  }
}

/** Whether an embedding is `file:function`, and not a model such as `openai:text-embedding-3-small`. */
export function isPlaceOfExport(text: string): boolean {
  const { place } = splitReference(text);
  return sourceLanguage(place) !== undefined || /[\\/]/.test(place);
}

async function checkPath(
  input: CheckInput,
  node: StringASTNode,
  wanted: 'file' | 'folder',
): Promise<Problem | undefined> {
  const { config, files } = input;
  const kind = await files.kind(path.resolve(config.dir, node.value));
  if (kind === wanted) return checkSpelling(input, node, node.value);
  return {
    file: config.file,
    range: rangeInString(config, node),
    severity: 'error',
    code: 'file-missing',
    message:
      kind === undefined
        ? `${wanted === 'file' ? 'File' : 'Folder'} not found: ${node.value}.`
        : `${node.value} is a ${kind}, not a ${wanted}.`,
  };
}

async function checkExport(
  input: CheckInput,
  node: StringASTNode,
  isGraph: boolean,
): Promise<Problem | undefined> {
  const { config, files } = input;
  const { place, exportName } = splitReference(node.value);
  // The schema check reports a reference without an export.
  if (exportName === undefined || exportName === '') return undefined;
  const file = await fileOfPlace(input, place);
  if (file === undefined)
    return isModuleName(place) ? undefined : explainMissingFile(input, node, place, isGraph);
  const afterPlace = { config, node, from: place.length + 1 };
  if (sourceLanguage(file) === undefined) {
    const message = `${place} is not a Python, JavaScript or TypeScript file.`;
    return errorIn({ config, node, to: place.length }, 'file-missing', message);
  }
  const misspelled = isModuleName(place) ? undefined : await checkSpelling(input, node, place);
  if (misspelled !== undefined) return misspelled;
  const exported = await readModuleExports(files, file);
  if (exported === undefined) return undefined;
  const found = exported.names.get(exportName);
  if (found === undefined)
    return exported.isComplete
      ? explainMissingExport(afterPlace, exported, { place, exportName })
      : undefined;
  if (!isGraph || found.notAGraph === undefined) return undefined;
  return errorIn(
    afterPlace,
    'not-a-graph',
    `The export '${exportName}' of ${place} is ${found.notAGraph}, not a graph: export a compiled graph, a StateGraph, or a function that returns one.`,
  );
}

/** A part of a string in langgraph.json, by positions in its value; by default the whole string. */
interface StringPart {
  readonly config: CheckInput['config'];
  readonly node: StringASTNode;
  readonly from?: number;
  readonly to?: number;
}

function errorIn({ config, node, from, to }: StringPart, code: Problem['code'], message: string): Problem {
  return {
    file: config.file,
    range: rangeInString(config, node, from, to),
    severity: 'error',
    code,
    message,
  };
}

function explainMissingExport(
  part: StringPart,
  exported: ExportedNames,
  { place, exportName }: { readonly place: string; readonly exportName: string },
): Problem {
  const names = [...exported.names.keys()].filter((name) => !name.startsWith('_'));
  const meant = nearest(exportName, names);
  const hint = meant[0] === undefined ? '' : ` Did you mean '${meant[0]}'?`;
  const all = joinNames(
    names.map((name) => `'${name}'`),
    MAX_NAMED,
  );
  const message =
    names.length === 0
      ? `${place} has no exports.`
      : `${place} has no export '${exportName}'.${hint} It exports ${all}.`;
  return {
    ...errorIn(part, 'export-missing', message),
    fixes: replacements(part, [...new Set([...meant, ...names])].slice(0, MAX_FIXES)),
  };
}

/** Reports a path with a spelling that this system accepts, but deployments and images do not. */
async function checkSpelling(
  input: CheckInput,
  node: StringASTNode,
  place: string,
): Promise<Problem | undefined> {
  const { config, files } = input;
  const written = await findSpelling(files, config.dir, place);
  if (written === place) return undefined;
  return {
    file: config.file,
    range: rangeInString(config, node, 0, place.length),
    severity: 'warning',
    code: 'file-missing',
    message: `${place} is not found on Linux, and so not in images and deployments. Write ${written}.`,
    fixes: replacements({ config, node, to: place.length }, [written]),
  };
}

/**
 * Finds the file that a reference names before its colon.
 * @returns undefined when it does not exist; a module name may still be an installed package.
 */
export async function fileOfPlace(
  { config, files }: Pick<CheckInput, 'config' | 'files'>,
  place: string,
): Promise<string | undefined> {
  const candidates = isModuleName(place) ? moduleFiles(config.dir, place) : [path.resolve(config.dir, place)];
  for (const file of candidates) if ((await files.kind(file)) === 'file') return file;
  return undefined;
}

async function explainMissingFile(
  input: CheckInput,
  node: StringASTNode,
  place: string,
  isGraph: boolean,
): Promise<Problem> {
  const { config, files } = input;
  const file = path.resolve(config.dir, place);
  const kind = await files.kind(file);
  const beside = await files.list(path.dirname(file));
  const names = beside
    .filter((entry) => entry.kind === 'file' && sourceLanguage(entry.name) !== undefined)
    .map(({ name }) => name);
  const sameStem = names.filter((name) => path.parse(name).name === path.parse(file).name);
  const folder = place.slice(0, place.length - path.basename(place).length);
  const meant = [...new Set([...sameStem, ...nearest(path.basename(file), names)])];
  const graphs = isGraph && meant.length === 0 ? await findGraphs(files, config.dir, MAX_SEARCHED) : [];
  return {
    file: config.file,
    range: rangeInString(config, node, 0, place.length),
    severity: 'error',
    code: 'file-missing',
    message: `${kind === 'folder' ? `${place} is a folder, not a file.` : `File not found: ${place}.`}${
      meant[0] === undefined ? '' : ` Did you mean ${folder}${meant[0]}?`
    }`,
    fixes: [
      ...replacements(
        { config, node, to: place.length },
        meant.map((name) => folder + name),
      ),
      ...replacements(
        { config, node },
        graphs.slice(0, MAX_FIXES).map(({ reference }) => reference),
      ),
    ],
  };
}

/** Fixes that replace a part of a string with each of these texts. */
function replacements({ config, node, from, to }: StringPart, texts: readonly string[]): Fix[] {
  return texts.map((text) => ({
    title: `Change to '${text}'`,
    change: {
      kind: 'replace',
      file: config.file,
      range: rangeInString(config, node, from, to),
      text: JSON.stringify(text).slice(1, -1),
    },
  }));
}
