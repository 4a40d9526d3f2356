import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { searchPathOf } from '../../process/search-path.ts';
import type { SyntaxProblem } from '../../project/checks/check-sources.ts';
import { readText } from '../../project/read-text.ts';

/**
 * A Python program that reads file names and prints the syntax errors of these files, without running them. It decodes
 * the names as UTF-8, because Python on Windows would decode standard input in the system's code page.
 */
const PARSE_PYTHON = `
import ast, json, sys
found = []
for name in json.load(sys.stdin.buffer):
    try:
        with open(name, 'rb') as file:
            ast.parse(file.read(), name)
    except SyntaxError as error:
        found.append({'file': name, 'line': error.lineno or 1, 'column': error.offset or 1, 'message': f'SyntaxError: {error.msg}'})
    except (OSError, ValueError) as error:
        found.append({'file': name, 'line': 1, 'column': 1, 'message': f'{type(error).__name__}: {error}'})
print(json.dumps(found))
`;

const Found = z.array(
  z.object({ file: z.string(), line: z.number(), column: z.number(), message: z.string() }),
);

/**
 * Finds syntax errors in sources: in TypeScript and JavaScript with Node's parser, if this version has one, and in Python
 * with the project's interpreter, else with any other on this machine. Without a parser, no errors are found.
 * @param dir the folder of langgraph.json
 */
export async function findSyntaxErrors(
  dir: string,
  environment: Readonly<Record<string, string | undefined>>,
  files: readonly string[],
): Promise<readonly SyntaxProblem[]> {
  const python = files.filter((file) => file.endsWith('.py'));
  const others = files.filter((file) => /\.[cm]?[jt]s$/.test(file));
  const found = await Promise.all(others.map((file) => findJavascriptError(file)));
  return [
    ...found.filter((problem) => problem !== undefined),
    ...(await findPythonErrors(dir, environment, python)),
  ];
}

async function findJavascriptError(file: string): Promise<SyntaxProblem | undefined> {
  const { stripTypeScriptTypes } = nodeModule;
  if (typeof stripTypeScriptTypes !== 'function') return undefined;
  let text: string;
  try {
    text = await readText(file);
  } catch (error) {
    return { file, line: 1, column: 1, message: String(error) };
  }
  const { emitWarning } = process;
  // Node's experimental warning is not relevant here.
  process.emitWarning = () => {};
  try {
    stripTypeScriptTypes(text, { mode: 'transform', sourceUrl: file });
    return undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError) || !isInvalid(error)) return undefined;
    return { file, ...placeIn(error.stack ?? ''), message: `SyntaxError: ${error.message.split('\n')[0]}` };
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Whether the source is invalid, rather than TypeScript that Node cannot transform. */
function isInvalid(error: Error): boolean {
  return 'code' in error && error.code === 'ERR_INVALID_TYPESCRIPT_SYNTAX';
}

/** Reads the place of a syntax error. Node prints it above the stack: the file and line, the source, and a caret. */
function placeIn(stack: string): { line: number; column?: number } {
  const line = Number(/:(\d+)\r?\n/.exec(stack)?.[1] ?? 1);
  const caret = /^( *)\^+\s*$/m.exec(stack)?.[1];
  return caret === undefined ? { line } : { line, column: caret.length + 1 };
}

async function findPythonErrors(
  dir: string,
  environment: Readonly<Record<string, string | undefined>>,
  files: readonly string[],
): Promise<readonly SyntaxProblem[]> {
  if (files.length === 0) return [];
  for (const python of interpreters(dir, environment)) {
    try {
      // Python runs isolated and without `site`, so that no code of the project or the environment runs.
      const running = promisify(execFile)(python, ['-I', '-S', '-c', PARSE_PYTHON], {
        timeout: 20_000,
        // A limit would kill a program that prints more. None is needed, because a file has at most one
        // error.
        maxBuffer: Number.POSITIVE_INFINITY,
        windowsHide: true,
      });
      // An interpreter that ends without reading its input closes the pipe. Its exit is the error that counts.
      running.child.stdin?.on('error', () => {});
      running.child.stdin?.end(JSON.stringify(files));
      return Found.parse(JSON.parse((await running).stdout));
    } catch {
      // The next interpreter may work.
    }
  }
  return [];
}

/** Python interpreters, first those of the project, because the syntax depends on the version. */
function* interpreters(
  dir: string,
  environment: Readonly<Record<string, string | undefined>>,
): Generator<string> {
  const windows = process.platform === 'win32';
  for (let folder = dir; ; folder = dirname(folder)) {
    for (const name of ['.venv', 'venv'])
      yield* findExisting(join(folder, name, windows ? 'Scripts/python.exe' : 'bin/python'));
    if (dirname(folder) === folder) break;
  }
  for (const folder of (searchPathOf(environment) ?? '').split(delimiter).filter((entry) => entry !== ''))
    for (const name of ['python3', 'python'])
      yield* findExisting(join(folder, windows ? `${name}.exe` : name));
}

function* findExisting(file: string): Generator<string> {
  if (existsSync(file)) yield file;
}
