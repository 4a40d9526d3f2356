import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { distance } from 'fastest-levenshtein';
import type { SourceLocation } from '../../protocol/protocol.ts';
import { firstUserFrame, isUserFile, toPath } from '../errors/stack-frames.ts';
import { isRecord } from '../langgraph-types.ts';
import { aliasOf, nearestConfig } from '../typescript/typescript-config.ts';
import { hooksUrl } from '../typescript/typescript-loader.ts';
import { resolutions } from '../typescript/typescript-resolution.ts';

/** The message of an error, and its place if that is known. */
export interface ImportFinding {
  readonly text: string;
  readonly location?: SourceLocation | undefined;
}

/** Finds out why a module could not be imported. */
export async function explainImport(file: string, error: unknown): Promise<ImportFinding> {
  if (!(error instanceof Error)) return { text: `it threw ${String(error)}` };
  const stack = error.stack ?? '';
  const transformed = fromTsx(error) ?? fromOwnLoader(error);
  if (transformed !== undefined) return transformed;
  const text = `${error.name}: ${error.message.split('\n', 1)[0]}`;
  // The stack of the error leads to this runtime's hooks instead of to the import.
  const location = findImport(error.message);
  if (isRecord(error) && error.code === 'ERR_MODULE_NOT_FOUND') {
    return { text: explainAlias(error.message) ?? error.message + suggestFile(error.message), location };
  }
  if (location !== undefined) return { text, location };
  const shown = shownPlace(stack) ?? firstUserFrame(stack);
  if (shown !== undefined || error.name !== 'SyntaxError') return { text, location: shown };
  return { text, location: await findSyntaxError(file) };
}

/** Reads the error `Transform failed with 1 error:` of `tsx`, whose second line contains the place. */
function fromTsx({ message }: Error): ImportFinding | undefined {
  const match = /^(.+?):(\d+):(\d+): ERROR: (.*)$/m.exec(message);
  if (match === null) return undefined;
  const [, place = '', line, column, text = ''] = match;
  return {
    text: `SyntaxError: ${text}`,
    location: { file: path.resolve(place), line: Number(line), column: Number(column) + 1 },
  };
}

/** Reads the error `Error transforming /a/b.ts: Unexpected token (3:7)` of this runtime's loader. */
function fromOwnLoader({ message }: Error): ImportFinding | undefined {
  const match = /^Error transforming (.+?): (?:SyntaxError: )?(.*) \((\d+):(\d+)\)$/m.exec(message);
  if (match === null) return undefined;
  const [, place = '', text = '', line, column] = match;
  return {
    text: `SyntaxError: ${text}`,
    location: { file: place, line: Number(line), column: Number(column) },
  };
}

/**
 * The place of an error that Node shows above the stack: the file and line, the code, and a caret below it.
 */
function shownPlace(stack: string): SourceLocation | undefined {
  const match = /^(\S.*?):(\d+)\r?\n.*\r?\n(\s*)\^/.exec(stack);
  if (match === null) return undefined;
  const [, place = '', line, indent = ''] = match;
  const file = toPath(place);
  if (file === undefined || !isUserFile(file)) return undefined;
  return { file, line: Number(line), column: indent.length + 1 };
}

/** The place of the import of a module that does not exist, or that its package does not export. */
function findImport(message: string): SourceLocation | undefined {
  const match = /^[^'"]*['"](.+?)['"].* imported from (.+)$/m.exec(message);
  if (match === null) return undefined;
  const [, wanted = '', importer = ''] = match;
  const file = toPath(importer);
  if (file === undefined || !isUserFile(file) || !existsSync(file)) return undefined;
  const name = toPath(wanted) === undefined ? wanted.replace(/^\.\//, '') : path.parse(wanted).name;
  const lines = readFileSync(file, 'utf8').split('\n');
  const at = lines.findIndex((line) => /\b(?:import|from|require)\b/.test(line) && line.includes(name));
  return { file, line: at === -1 ? 1 : at + 1 };
}

/**
 * The message for an alias in tsconfig.json that matches no file, because Node reports it as a missing
 * package.
 */
function explainAlias(message: string): string | undefined {
  const match = /Cannot find package '(.+?)' imported from (.+)$/m.exec(message);
  const importer = match?.[2] === undefined ? undefined : toPath(match[2]);
  if (match === null || importer === undefined) return undefined;
  const config = nearestConfig(importer);
  const alias = aliasOf(config, match[1] ?? '');
  if (alias === undefined) return undefined;
  return `Cannot find a file for '${match[1]}' imported from ${importer}: '${alias}' in ${config.file} matches no file`;
}

/** Suggests a file with a similar name instead of a missing one; empty when there is none. */
function suggestFile(message: string): string {
  const wanted = /Cannot find module '(.+?)' imported from/.exec(message)?.[1];
  const file = wanted === undefined ? undefined : toPath(wanted);
  if (file === undefined || !path.isAbsolute(file)) return '';
  const { dir, name } = path.parse(file);
  const names = existsSync(dir)
    ? readdirSync(dir).filter((entry) => /\.(?:[cm]?[jt]sx?|json)$/.test(entry))
    : [];
  const far = (entry: string) => distance(path.parse(entry).name.toLowerCase(), name.toLowerCase());
  const [nearest] = names.toSorted((a, b) => far(a) - far(b));
  const isNear = nearest !== undefined && far(nearest) <= Math.max(1, Math.floor(name.length / 3));
  return isNear ? `. Did you mean '${nearest}'?` : '';
}

/** The maximum number of files that are checked for the syntax error. */
const MAX_CHECKED_FILES = 50;

/**
 * Finds the location of a syntax error in an ES module, which Node does not report: checks the module and the
 * files that it imports until one fails.
 */
async function findSyntaxError(entry: string): Promise<SourceLocation | undefined> {
  const files = [entry];
  for (let index = 0; index < files.length && index < MAX_CHECKED_FILES; index++) {
    const file = files[index];
    if (file === undefined || !/\.[cm]?[jt]s$/.test(file)) continue;
    const found = await checkSyntax(file);
    if (found !== undefined) return found;
    for (const imported of importedFiles(file)) if (!files.includes(imported)) files.push(imported);
  }
  return undefined;
}

/** @returns the place of a file's syntax error; undefined if it has none */
async function checkSyntax(file: string): Promise<SourceLocation | undefined> {
  if (!/ts$/.test(file)) return checkJavaScript(file);
  const { toJavaScript } = await import(hooksUrl);
  try {
    toJavaScript(file);
    return undefined;
  } catch (error) {
    return error instanceof Error ? fromOwnLoader(error)?.location : undefined;
  }
}

function checkJavaScript(file: string): Promise<SourceLocation | undefined> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['--check', file], { timeout: 10_000 }, (_error, _output, errors) => {
      resolve(shownPlace(errors));
    });
  });
}

function importedFiles(file: string): string[] {
  const source = readFileSync(file, 'utf8');
  return [...source.matchAll(/\b(?:from|import|require)\s*\(?\s*['"](\.[^'"]+)['"]/g)].flatMap(
    ([, specifier = '']) => {
      const imported = path.resolve(path.dirname(file), specifier);
      return existsSync(imported)
        ? [imported]
        : resolutions(specifier, pathToFileURL(file).href)
            .slice(0, 1)
            .map((url) => fileURLToPath(url));
    },
  );
}
