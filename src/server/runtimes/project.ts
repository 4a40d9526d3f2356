import { access, readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  findNodeAtLocation,
  type ParseError,
  parse as parseJson,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import type { z } from 'zod';
import type { SourceLocation } from '../../contract/harbor.ts';
import { EnvFileError, parseEnvFile } from '../../project/env-file.ts';
import { filesOfExtras } from './extras.ts';
import { type Language, languageOf } from './language.ts';
import { ProjectConfig } from './project-config.ts';

/** A project that cannot be served: a sentence, with a location if known. */
export class ProjectError extends Error {
  override readonly name = 'ProjectError';
  readonly location: SourceLocation | undefined;
  constructor(message: string, location?: SourceLocation) {
    super(message);
    this.location = location;
  }
}

export interface ProjectGraph {
  readonly path: string;
  readonly description?: string;
}

export interface Project {
  readonly configPath: string;
  /** The folder of langgraph.json, which every path in it is relative to. */
  readonly dir: string;
  /** Its name to people: the folder's. */
  readonly name: string;
  readonly config: ProjectConfig;
  readonly graphs: Readonly<Record<string, ProjectGraph>>;
  /** The languages of its graphs, and of what it has beside them. */
  readonly languages: ReadonlySet<Language>;
  /** The file `env` names, if it names one. */
  readonly envFile: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** A sentence when the env file is not there, as in a fresh clone; the project works without its variables. */
  readonly missingEnv: string | undefined;
}

/**
 * Reads a langgraph.json and the environment it names.
 * @param environment what the graphs inherit, for `${NAME}` in the env file.
 * @throws ProjectError with file, line and column of what is wrong.
 */
export async function readProject(
  configPath: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Project> {
  const text = await readText(configPath).catch((error: NodeJS.ErrnoException) => {
    throw new ProjectError(
      error.code === 'ENOENT'
        ? `File not found: ${configPath}.`
        : `Could not read ${configPath}: ${error.message}`,
    );
  });
  const config = parseConfig(configPath, text);
  const dir = path.dirname(configPath);
  const graphs = Object.fromEntries(
    Object.entries(config.graphs).map(([id, entry]) => [
      id,
      typeof entry === 'string' ? { path: entry } : graphOf(entry),
    ]),
  );
  const { envFile, env, missingEnv } = await readEnv(configPath, text, config.env, environment);
  const places = [...Object.values(graphs).map(({ path: place }) => place), ...filesOfExtras(config)];
  const languages = new Set(places.map(languageOf));
  return { configPath, dir, name: path.basename(dir), config, graphs, languages, envFile, env, missingEnv };
}

/** Without the byte order mark that editors on Windows put before it. */
async function readText(file: string): Promise<string> {
  return (await readFile(file, 'utf8')).replace(/^\uFEFF/, '');
}

function graphOf(entry: { path: string; description?: string | undefined }): ProjectGraph {
  return entry.description === undefined
    ? { path: entry.path }
    : { path: entry.path, description: entry.description };
}

function parseConfig(file: string, text: string): ProjectConfig {
  const errors: ParseError[] = [];
  const value: unknown = parseJson(text, errors, { allowTrailingComma: false, disallowComments: true });
  const [syntax] = errors;
  if (syntax !== undefined) {
    const location = locate(file, text, syntax.offset);
    throw new ProjectError(`${place(location)}: not valid JSON: ${syntaxMessage(syntax)}.`, location);
  }
  const parsed = ProjectConfig.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = (issue?.path ?? []).filter((part) => typeof part !== 'symbol');
  const location = locate(file, text, offsetOf(text, at));
  const message =
    issue?.code === 'invalid_union' ? deepestMessage(issue) : (issue?.message ?? 'is not valid');
  throw new ProjectError(
    `${place(location)}: ${at.length > 0 ? `'${at.join('.')}': ` : ''}${message}`,
    location,
  );
}

const SYNTAX: Readonly<Record<string, string>> = {
  InvalidCommentToken: 'JSON does not allow comments',
  PropertyNameExpected: 'expected a name in double quotes; a trailing comma is not allowed',
  ValueExpected: 'a value is missing',
  ColonExpected: 'a colon is missing',
  CommaExpected: 'a comma is missing',
  CloseBraceExpected: "a '}' is missing",
  CloseBracketExpected: "a ']' is missing",
  EndOfFileExpected: 'unexpected text after the end',
  InvalidSymbol: 'strings must be in double quotes',
  InvalidEscapeCharacter: 'a backslash in a string must be written twice',
  UnexpectedEndOfString: 'a double quote is missing',
};

function syntaxMessage({ error }: ParseError): string {
  const code = printParseErrorCode(error);
  return SYNTAX[code] ?? code;
}

function deepestMessage(issue: z.core.$ZodIssueInvalidUnion): string {
  return issue.errors.flat().at(0)?.message ?? issue.message;
}

/** The location of the deepest existing value on a path of keys. */
function offsetOf(text: string, keys: readonly (string | number)[]): number {
  const root = parseTree(text);
  for (let length = keys.length; root !== undefined && length >= 0; length--) {
    const node = findNodeAtLocation(root, keys.slice(0, length));
    if (node !== undefined) return node.offset;
  }
  return 0;
}

function locate(file: string, text: string, offset: number): SourceLocation {
  const before = text.slice(0, offset).split('\n');
  return { file, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function place(location: SourceLocation): string {
  return `${location.file}:${location.line}:${location.column ?? 1}`;
}

async function readEnv(
  configPath: string,
  text: string,
  env: ProjectConfig['env'],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Pick<Project, 'envFile' | 'env' | 'missingEnv'>> {
  if (env === undefined) return { envFile: undefined, env: {}, missingEnv: undefined };
  if (typeof env !== 'string') return { envFile: undefined, env, missingEnv: undefined };
  const envFile = path.resolve(path.dirname(configPath), env);
  try {
    const variables = parseEnvFile(envFile, await readText(envFile), environment);
    return { envFile, env: variables, missingEnv: undefined };
  } catch (error) {
    if (error instanceof EnvFileError)
      throw new ProjectError(error.message, { file: error.file, line: error.line });
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return { envFile, env: {}, missingEnv: await missingEnvSentence(env, envFile) };
    }
    const location = locate(configPath, text, offsetOf(text, ['env']));
    throw new ProjectError(
      `${place(location)}: could not read the env file '${env}': ${error instanceof Error ? error.message : String(error)}`,
      location,
    );
  }
}

/** As the check of langgraph.json says it in the editor. */
async function missingEnvSentence(env: string, envFile: string): Promise<string> {
  const example = await access(`${envFile}.example`).then(
    () => true,
    () => false,
  );
  const wayOut = example ? `copy ${env}.example to ${env} and fill it in` : "create it, or change 'env'";
  return `Env file ${env} not found, so its variables are not set: ${wayOut}.`;
}
