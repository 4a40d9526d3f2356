import { existsSync, readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { SourceMap, type SourceMapPayload } from 'node:module';
import path from 'node:path';
import type { SourceLocation } from '../../protocol/protocol.ts';
import { isUserFile, toPath } from './stack-frames.ts';

interface Script {
  readonly url: string;
  readonly sourceMapUrl: string | undefined;
}

/** The global property that passes functions to the inspector, which can only evaluate expressions. */
const FUNCTIONS_SYMBOL = Symbol.for('agent-harbor.functions');

/**
 * Asks the debugger where functions were defined, and applies source maps.
 * @returns the place of each function; undefined for functions of packages and of Node
 */
export async function locateFunctions(functions: readonly object[]): Promise<(SourceLocation | undefined)[]> {
  if (functions.length === 0) return [];
  const session = new Session();
  session.connect();
  const scripts = new Map<string, Script>();
  session.on('Debugger.scriptParsed', ({ params: { scriptId, url, sourceMapURL } }) => {
    scripts.set(scriptId, { url, sourceMapUrl: sourceMapURL || undefined });
  });
  try {
    Reflect.set(globalThis, FUNCTIONS_SYMBOL, functions);
    // Only an enabled debugger knows where functions are; when enabled, it reports every script.
    await session.post('Debugger.enable');
    const { result } = await session.post('Runtime.evaluate', {
      expression: `globalThis[Symbol.for(${JSON.stringify(FUNCTIONS_SYMBOL.description)})]`,
    });
    const places: (SourceLocation | undefined)[] = [];
    for (const objectId of await readElementIds(session, result.objectId)) {
      places.push(objectId === undefined ? undefined : await locateFunction(session, objectId, scripts));
    }
    return places;
  } finally {
    Reflect.deleteProperty(globalThis, FUNCTIONS_SYMBOL);
    session.disconnect();
  }
}

/** Reads the inspector's IDs of an array's elements; undefined for elements that are not objects. */
async function readElementIds(
  session: Session,
  arrayId: string | undefined,
): Promise<(string | undefined)[]> {
  if (arrayId === undefined) return [];
  const { result } = await session.post('Runtime.getProperties', { objectId: arrayId, ownProperties: true });
  return result.filter(({ name }) => /^\d+$/.test(name)).map(({ value }) => value?.objectId);
}

async function locateFunction(
  session: Session,
  functionId: string,
  scripts: ReadonlyMap<string, Script>,
): Promise<SourceLocation | undefined> {
  const { internalProperties = [] } = await session.post('Runtime.getProperties', {
    objectId: functionId,
    ownProperties: true,
  });
  const location: unknown = internalProperties.find(({ name }) => name === '[[FunctionLocation]]')?.value
    ?.value;
  if (!isScriptLocation(location)) return undefined;
  const script = scripts.get(location.scriptId);
  if (script === undefined) return undefined;
  return sourceOf(script.url, script.sourceMapUrl, location.lineNumber, location.columnNumber);
}

/**
 * Maps a place in a script to the source file.
 * @param line counted from 0, like `column`
 * @returns undefined for packages and for Node
 */
export function sourceOf(
  url: string,
  sourceMapUrl: string | undefined,
  line: number,
  column: number,
): SourceLocation | undefined {
  const file = toPath(url.split('?', 1)[0] ?? '');
  return file === undefined || !isUserFile(file) ? undefined : mapPlace(file, sourceMapUrl, line, column);
}

/** @param line counted from 0, like `column` */
function mapPlace(
  file: string,
  sourceMapUrl: string | undefined,
  line: number,
  column: number,
): SourceLocation {
  const generated = { file, line: line + 1, column: column + 1 };
  const payload = sourceMapUrl === undefined ? undefined : readSourceMap(file, sourceMapUrl);
  if (payload === undefined) return generated;
  const entry = new SourceMap(payload).findEntry(line, column);
  if (!('originalSource' in entry)) return generated;
  const source = toPath(entry.originalSource) ?? path.resolve(path.dirname(file), entry.originalSource);
  // The sources may be missing, for example in an image.
  if (!existsSync(source)) return generated;
  return { file: source, line: entry.originalLine + 1, column: entry.originalColumn + 1 };
}

function readSourceMap(file: string, url: string): SourceMapPayload | undefined {
  try {
    const inline = /^data:application\/json[^,]*?(;base64)?,(.*)$/s.exec(url);
    if (inline !== null) {
      const [, base64, data = ''] = inline;
      const text = base64 === undefined ? decodeURIComponent(data) : Buffer.from(data, 'base64').toString();
      return JSON.parse(text);
    }
    const beside = path.resolve(path.dirname(file), decodeURIComponent(url));
    return existsSync(beside) ? JSON.parse(readFileSync(beside, 'utf8')) : undefined;
  } catch {
    // Without a readable source map, the place in the generated file is shown.
    return undefined;
  }
}

interface ScriptLocation {
  scriptId: string;
  lineNumber: number;
  columnNumber: number;
}

function isScriptLocation(value: unknown): value is ScriptLocation {
  return (
    typeof value === 'object' &&
    value !== null &&
    'scriptId' in value &&
    typeof value.scriptId === 'string' &&
    'lineNumber' in value &&
    typeof value.lineNumber === 'number' &&
    'columnNumber' in value &&
    typeof value.columnNumber === 'number'
  );
}
