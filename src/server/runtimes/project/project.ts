import path from 'node:path';
import type { SourceLocation } from '../../../contract/harbor.ts';
import { ifReadable } from '../../../process/if-present.ts';
import { isTooManyFiles, openFilesSentence } from '../../../process/open-files.ts';
import { missingEnvSentence } from '../../../project/missing-variables.ts';
import type { ProblemCode } from '../../../project/problem.ts';
import { readText } from '../../../project/read-text.ts';
import { readVariables, valuesOf } from '../../../project/variables.ts';
import { findConfigProblems, placeOf } from './config-problems.ts';
import { filesOfExtras } from './extras.ts';
import { type Language, languageOf } from './language.ts';
import { ProjectConfig } from './project-config.ts';

/** A project cannot be served. The message is a sentence about the problem. */
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
  /** The folder of langgraph.json, to which the paths in that file are relative. */
  readonly dir: string;
  /** The display name: the name of the folder. */
  readonly name: string;
  readonly config: ProjectConfig;
  readonly graphs: Readonly<Record<string, ProjectGraph>>;
  /** The languages of the project's graphs and extras. */
  readonly languages: ReadonlySet<Language>;
  /** The file that `env` names, if any. */
  readonly envFile: string | undefined;
  /** The variables that `env` sets, from the file or in langgraph.json itself. */
  readonly env: Readonly<Record<string, string>>;
  /** A sentence if the env file is missing and its variables are not set elsewhere, as in a fresh clone. */
  readonly missingEnv: string | undefined;
  /** Whether the project is isolated, so that its programs may run only in containers. */
  readonly isIsolated: boolean;
}

/**
 * Reads a langgraph.json and the environment that it names.
 * @param environment the variables that the graphs inherit, for `${NAME}` in the env file.
 * @throws ProjectError, with the place of the problem unless langgraph.json itself cannot be read.
 */
export async function readProject(
  configPath: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Project> {
  const text = await readText(configPath).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new ProjectError(`File not found: ${configPath}.`);
    const reason = isTooManyFiles(error) ? openFilesSentence() : error.message;
    throw new ProjectError(`Could not read ${configPath}: ${reason}`);
  });
  const config = parseConfig(text);
  if (config === undefined) throw await explainRefusal(configPath, environment);
  const dir = path.dirname(configPath);
  const graphs = Object.fromEntries(
    Object.entries(config.graphs).map(([id, entry]) => [
      id,
      typeof entry === 'string' ? { path: entry } : graphOf(entry),
    ]),
  );
  const { envFile, env, missingEnv } = await readEnv(configPath, config.env, environment);
  const places = [...Object.values(graphs).map(({ path: place }) => place), ...filesOfExtras(config)];
  const languages = new Set(places.map(languageOf));
  return {
    configPath,
    dir,
    name: path.basename(dir),
    config,
    graphs,
    languages,
    envFile,
    env,
    missingEnv,
    isIsolated: false,
  };
}

function graphOf(entry: { path: string; description?: string | undefined }): ProjectGraph {
  return entry.description === undefined
    ? { path: entry.path }
    : { path: entry.path, description: entry.description };
}

/** Parses a langgraph.json; undefined if it is not valid. */
function parseConfig(text: string): ProjectConfig | undefined {
  try {
    return ProjectConfig.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** The kinds of problems that keep a project from being served at all. */
const UNREADABLE: ReadonlySet<ProblemCode> = new Set(['syntax', 'schema', 'env-file']);

/** Explains why a langgraph.json or its env file is refused, in the words of `agent-harbor check`. */
async function explainRefusal(
  configPath: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ProjectError> {
  const { problems } = await findConfigProblems(configPath, environment);
  const first = problems.find(({ severity, code }) => severity === 'error' && UNREADABLE.has(code));
  if (first === undefined)
    return new ProjectError(`${configPath} is not valid.`, { file: configPath, line: 1 });
  const place = placeOf(first);
  return new ProjectError(`${place.file}:${place.line}:${place.column}: ${first.message}`, place);
}

async function readEnv(
  configPath: string,
  env: ProjectConfig['env'],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Pick<Project, 'envFile' | 'env' | 'missingEnv'>> {
  const found = await readVariables(path.dirname(configPath), env, environment).catch(async () => {
    throw await explainRefusal(configPath, environment);
  });
  const envFile = found.kind === 'file' ? found.file : undefined;
  const missingEnv =
    found.kind === 'file' && found.isMissing
      ? missingEnvSentence(String(env), await ifReadable(readText(`${found.file}.example`)), environment)
      : undefined;
  return { envFile, env: valuesOf(found), missingEnv };
}
