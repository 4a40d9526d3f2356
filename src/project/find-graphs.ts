import path from 'node:path';
import { javascriptExports } from './exports/javascript-exports.ts';
import { pythonExports } from './exports/python-exports.ts';
import type { ProjectFiles } from './project-files.ts';
import { type SourceLanguage, sourceLanguage } from './reference.ts';

/** A graph that a source file probably exports. */
export interface FoundGraph {
  /** Its key in `graphs`, unique among the graphs found together. */
  readonly id: string;
  /** The reference in langgraph.json: `./src/agent.ts:graph`. */
  readonly reference: string;
  readonly language: SourceLanguage;
}

/** Folders without the project's own sources, and tests. */
const SKIPPED_FOLDERS =
  /^(?:\..*|node_modules|s?venv|env|dist|build|out|site-packages|__pycache__|tests?|__tests__)$/;
const TEST_FILE = /(?:\.(?:test|spec)\.\w+|_test\.py)$|^(?:test_.*|conftest)\.py$/;
const DECLARATIONS = /\.d\.[cm]?ts$/;
/** A file that makes a graph contains at least one of these words. */
const LANGGRAPH = /langgraph|langchain|deepagents/i;
/** The maximum number of files that are searched by default. */
const MAX_FILES = 2000;

/** Names of exports and files that are too common to be the ID of a graph. */
const COMMON_NAME =
  /^(?:(?:make|create|build|get)?_?(?:graph|agent|app|workflow)|default|index|main|__init__|src)$/i;

/** A call of a function of LangGraph or LangChain that makes a graph. */
const PREBUILT =
  /^(?:await\s+)?(?:\w+\.)*(?:create_?(?:react|deep)_?agent|create_?agent|create_?supervisor|create_?swarm|entrypoint)\s*[(<]/i;
const DECORATED = /^@(?:\w+\.)*entrypoint\b/;
const FUNCTION =
  /^(?:(?:export\s+)?(?:async\s+)?(?:function|def)\b|(?:async\s*)?(?:\([^)]*\)|\w+)(?::[^=]+)?\s*=>)/;
/** A call of a graph's `compile`, without arguments or with named ones, unlike `re.compile('…')`. */
const COMPILED = /\.compile\(\s*(?:\)|\{|\w+\s*=[^=])/;
/** A call of a compiled graph, whose result is not a graph. */
const AFTER_COMPILE = /\.(?:a?invoke|a?stream|batch|get_?graph)\s*\(/i;
const BUILDER = /^(?:new\s+)?(?:\w+\.)*StateGraph\s*[(<]/;

/** Tests whether an export is a graph, from the strongest evidence to the weakest. */
const EVIDENCE: readonly ((source: string, name: string) => boolean)[] = [
  isGraph,
  makesGraph,
  (source) => BUILDER.test(source),
  isNamedLikeGraph,
];

function isGraph(source: string): boolean {
  if (FUNCTION.test(source)) return false;
  if (PREBUILT.test(source) || DECORATED.test(source)) return true;
  return COMPILED.test(source) && !AFTER_COMPILE.test(source);
}

function makesGraph(source: string): boolean {
  return FUNCTION.test(source) && /\breturn\b|=>/.test(source) && COMPILED.test(source);
}

/** Whether the result of a call has a name that is common for graphs. */
function isNamedLikeGraph(source: string, name: string): boolean {
  return /^(?:graph|agent|app|workflow)$/.test(name) && /[\w>]\(/.test(source);
}

/**
 * Finds the graphs that the sources below a folder export, without running code. Tests, installed packages, and files
 * after the first `maxFiles` are left out. In each file, it finds the exports with the strongest evidence.
 * @returns the graphs in the order of their files: breadth first, sorted in each folder
 */
export async function findGraphs(
  files: ProjectFiles,
  folder: string,
  maxFiles = MAX_FILES,
): Promise<FoundGraph[]> {
  const sources = await listSourcesBelow(files, folder, maxFiles);
  const found = await Promise.all(
    sources.map(async (file) => {
      const language = sourceLanguage(file);
      const text = await files.read(file);
      if (language === undefined || text === undefined || !LANGGRAPH.test(text)) return [];
      const place = `./${path.relative(folder, file).split(path.sep).join('/')}`;
      return graphsIn(file, text).map((name) => ({ name, place, language }));
    }),
  );
  const ids = new Set<string>();
  return found.flat().map(({ name, place, language }) => {
    const id = uniqueId(idOf(name, place), ids);
    ids.add(id);
    return { id, reference: `${place}:${name}`, language };
  });
}

/** The exports of a module with the strongest evidence for being graphs. */
function graphsIn(file: string, text: string): string[] {
  const { names } = sourceLanguage(file) === 'python' ? pythonExports(text) : javascriptExports(file, text);
  const candidates = [...names].filter(([name]) => !name.startsWith('_'));
  for (const isEvident of EVIDENCE) {
    const graphs = candidates.filter(
      ([name, { source, notAGraph }]) =>
        source !== undefined && notAGraph === undefined && isEvident(source, name),
    );
    if (graphs.length > 0) return graphs.map(([name]) => name);
  }
  return [];
}

/** The source files below a folder, breadth first, sorted in each. */
async function listSourcesBelow(files: ProjectFiles, folder: string, maxFiles: number): Promise<string[]> {
  const sources: string[] = [];
  const folders = [folder];
  for (let next = folders.shift(); next !== undefined; next = folders.shift()) {
    const entries = [...(await files.list(next))].sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const { name, kind } of entries) {
      if (kind === 'folder') {
        if (!SKIPPED_FOLDERS.test(name)) folders.push(path.join(next, name));
      } else if (sourceLanguage(name) !== undefined && !TEST_FILE.test(name) && !DECLARATIONS.test(name)) {
        sources.push(path.join(next, name));
        if (sources.length === maxFiles) return sources;
      }
    }
  }
  return sources;
}

/** The first name that is not too common: that of the export, of the file, or of its folders; otherwise `agent`. */
function idOf(name: string, place: string): string {
  const { dir, name: stem } = path.posix.parse(place);
  const names = [name, stem, ...dir.split('/').reverse()];
  return names.find((candidate) => /^\w/.test(candidate) && !COMMON_NAME.test(candidate)) ?? 'agent';
}

function uniqueId(id: string, taken: ReadonlySet<string>): string {
  if (!taken.has(id)) return id;
  for (let count = 2; ; count += 1) {
    const numbered = `${id}_${count}`;
    if (!taken.has(numbered)) return numbered;
  }
}
