import path from 'node:path';
import type { IdleMemory } from '../../../process/idle-memory.ts';
import { mergeEnvironments } from '../../../process/merge-environments.ts';
import { readSeconds } from '../../../process/read-seconds.ts';
import type {
  GraphStatus,
  InitializeResult,
  ProjectExtras,
  ServerAccess,
} from '../../../runtime/protocol/protocol.ts';
import { findIsolatedPython } from '../isolation/isolated-python.ts';
import { nodeCommand } from '../node/node-command.ts';
import { nodeInstallChoices } from '../node/node-install.ts';
import type { LogBook } from '../output/log-book.ts';
import type { LaunchRuntime } from '../process/launch-runtime.ts';
import type { LoadLimit } from '../process/load-watch.ts';
import { type RuntimeHandlers, RuntimeProcess } from '../process/runtime-process.ts';
import { explainFailures } from '../project/config-problems.ts';
import { extraLanguage, extraSentence, extrasOf } from '../project/extras.ts';
import { findLackingEnv } from '../project/lacking-env.ts';
import { type Language, languageOf } from '../project/language.ts';
import type { Project } from '../project/project.ts';
import { inUtf8 } from '../python/python-encoding.ts';
import { findPythonEnvironment, versionWarning } from '../python/python-environment.ts';
import { installChoices } from '../python/python-install.ts';
import { addAdvice } from './add-advice.ts';
import type { Debugging } from './debugging.ts';
import { Generation } from './generation.ts';
import { LanguageRuntime } from './language-runtime.ts';
import {
  explainMissingLangGraph,
  explainOpenFilesLimit,
  failureSentences,
  lacksPackages,
} from './load-failures.ts';
import { findNodeAdvice } from './node-advice.ts';
import { findDeployedPythonAdvice, findLangGraphAdvice, findPythonAdvice } from './python-advice.ts';
import type { BegunRuntime, RuntimeHeadStart } from './runtime-head-start.ts';

/** How long a deployment may neither work nor print anything while it loads. */
const LOAD_SECONDS = 60;
/** How many times longer it may work without printing anything. */
const SILENT_TIMES = 10;
/** The variable that sets another limit, in the env file or the server's environment; also for open folders. */
const LOAD_SECONDS_VARIABLE = 'AGENT_HARBOR_LOAD_SECONDS';

/** How the graphs of a deployment are loaded. */
export interface LoadOptions {
  /** The path of the bundle that runs Node graphs. */
  readonly nodeRuntime: string;
  /** The path of the module that runs Python graphs. */
  readonly pythonRuntime: string;
  readonly log: LogBook;
  /** Connects debuggers to the processes. */
  readonly debugging: Debugging;
  /** Whether a build is being loaded: its packages were installed by the build. */
  readonly isDeployed: boolean;
  /** The revision of the build; null for an open folder. */
  readonly revisionId: string | null;
  /** How the runtime is started. */
  readonly launch: LaunchRuntime;
  /** A process that was started early for the Node graphs of the first load. */
  readonly headStart?: RuntimeHeadStart | undefined;
  /** The server's address for the project's code; waits until the server listens, if it is about to. */
  server(): Promise<ServerAccess>;
  /** Frees the server's own memory, because work in a runtime also leaves garbage in the server. */
  readonly memory: IdleMemory;
}

/** The Python that a user has chosen. */
export interface ChosenPython {
  /** An interpreter, or an environment's folder. */
  readonly place: string;
  /** The variable that made the choice, in words; undefined for an option or the editor's choice. */
  readonly by?: string | undefined;
}

/** The process that has loaded the graphs of a language, or why there is none. */
type LoadOutcome =
  | { readonly runtime: LanguageRuntime }
  | { readonly language: Language; readonly reason: unknown };

/**
 * Starts a process for each language of a project's graphs and extras, and loads them. If the process for one
 * of several languages cannot be started, its graphs fail, and the others work.
 * @param env the variables of the graphs.
 * @param python the interpreter or environment that the user chose.
 * @param signal ends the processes when they are no longer needed.
 * @throws ProjectError or RuntimeStartError when there is nothing to run; the signal's reason when aborted. The
 * processes have then been killed.
 */
export async function loadGeneration(
  project: Project,
  env: Readonly<Record<string, string>>,
  python: ChosenPython | undefined,
  options: LoadOptions & RuntimeHandlers,
  signal: AbortSignal,
): Promise<Generation> {
  const load = (language: Language) =>
    language === 'node'
      ? loadNode(project, env, options, signal)
      : loadPython(project, env, python, options, signal);
  const outcomes = await Promise.all(
    [...project.languages].toSorted().map(
      (language): Promise<LoadOutcome> =>
        load(language).then(
          (runtime) => ({ runtime }),
          (reason: unknown) => ({ language, reason }),
        ),
    ),
  );
  const runtimes = outcomes.flatMap((outcome) => ('runtime' in outcome ? [outcome.runtime] : []));
  const failed = outcomes.flatMap((outcome) => ('runtime' in outcome ? [] : [outcome]));
  const processes = runtimes.map(({ process }) => process);
  const generation = await killIfFails(processes, async () => {
    // The signal has the reason why its processes were killed.
    signal.throwIfAborted();
    const [first, ...others] = runtimes;
    if (first === undefined) throw failed[0]?.reason;
    const lost = failed.flatMap(({ language, reason }) => failedGraphs(project, language, reason));
    const statuses = [...runtimes.flatMap(({ loaded }) => loaded.graphs), ...lost];
    const graphs = await explainFailures(project.configPath, env, statuses);
    const lackingEnv = options.isDeployed ? undefined : await findLackingEnv(project, graphs, env);
    signal.throwIfAborted();
    const loaded = { graphs, lackingEnv, revisionId: options.revisionId };
    return new Generation(project, [first, ...others], loaded);
  });
  for (const sentence of failureSentences(generation.graphs)) options.log.writeState(sentence);
  for (const extra of generation.failedExtras) options.log.write('ERROR', extraSentence(extra));
  return generation;
}

async function loadNode(
  project: Project,
  env: Readonly<Record<string, string>>,
  options: LoadOptions & RuntimeHandlers,
  signal: AbortSignal,
): Promise<LanguageRuntime> {
  const { node, command } = await nodeCommand(project, env, options.nodeRuntime);
  const { process, loaded } = await initialize(
    'node',
    project,
    async () =>
      options.headStart?.take(command) ?? { child: await options.launch(command), lateVariables: {} },
    options,
    signal,
  );
  options.log.write(
    'INFO',
    `Graphs run on Node ${loaded.language_version} (${node.file}), LangGraph ${loaded.langgraph_version}, loaded with ${loaded.loader}.`,
  );
  const found = { executable: node.file, origin: node.origin };
  return killIfFails([process], async () => {
    const install = await nodeInstallChoices(project.dir, loaded.graphs);
    const explained = await addAdvice(loaded, (error) => findNodeAdvice(project, options.isDeployed, error));
    return new LanguageRuntime(
      'node',
      process,
      explained,
      install.length === 0 ? found : { ...found, install },
      options.memory,
    );
  });
}

async function loadPython(
  project: Project,
  env: Readonly<Record<string, string>>,
  chosen: ChosenPython | undefined,
  options: LoadOptions & RuntimeHandlers,
  signal: AbortSignal,
): Promise<LanguageRuntime> {
  const { log } = options;
  // The project's variables must not choose which program this machine runs.
  const trusted = chosen?.by === undefined ? chosen?.place : undefined;
  const python = project.isIsolated
    ? await findIsolatedPython(project, trusted, globalThis.process.env.PATH)
    : await findPythonEnvironment(project, { chosen: chosen?.place, chosenBy: chosen?.by, env });
  const { process, loaded } = await initialize(
    'python',
    project,
    async () => ({
      child: await options.launch({
        file: python.file,
        args: [...options.debugging.python.args, '-u', options.pythonRuntime],
        cwd: project.dir,
        env: inUtf8(mergeEnvironments([env, options.debugging.python.env])),
      }),
      lateVariables: {},
    }),
    options,
    signal,
  );
  if (python.broken !== undefined) log.write('WARNING', python.broken);
  const warning = versionWarning(project.config, python);
  if (warning !== undefined) log.write('WARNING', warning);
  const langgraph =
    loaded.langgraph_version === '' ? 'no LangGraph' : `LangGraph ${loaded.langgraph_version}`;
  log.write(
    'INFO',
    `Graphs run on Python ${loaded.language_version} (${python.file}, ${python.origin}), ${langgraph}.`,
  );
  const found = { executable: python.file, origin: python.origin };
  if (!lacksPackages(loaded)) return new LanguageRuntime('python', process, loaded, found, options.memory);
  return killIfFails([process], async () => {
    const install = await installChoices(project.dir, python, env);
    const explained = await addAdvice(
      explainMissingLangGraph(
        loaded,
        python,
        await findLangGraphAdvice(project, options.isDeployed, install),
      ),
      (error) =>
        options.isDeployed
          ? findDeployedPythonAdvice(project, error)
          : findPythonAdvice(project, install, error),
    );
    return new LanguageRuntime('python', process, explained, { ...found, install }, options.memory);
  });
}

/** Does work that processes are needed for, and kills them if it fails. */
async function killIfFails<Result>(
  processes: readonly RuntimeProcess[],
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    for (const process of processes) process.kill();
    throw error;
  }
}

/**
 * Starts a process, and loads the graphs of one language into it.
 * @param begin starts the process
 * @throws RuntimeStartError; the signal's reason when aborted before or after loading
 */
async function initialize(
  language: Language,
  project: Project,
  begin: () => Promise<BegunRuntime>,
  {
    log,
    requests,
    notifications,
    databaseBack,
    server,
    debugging,
    isDeployed,
  }: LoadOptions & RuntimeHandlers,
  signal: AbortSignal,
): Promise<{ process: RuntimeProcess; loaded: InitializeResult }> {
  signal.throwIfAborted();
  const limit = loadLimit(project, isDeployed);
  const { child, lateVariables } = await begin();
  const process = new RuntimeProcess(child, { requests, notifications, databaseBack }, log);
  const dependencies = (project.config.dependencies ?? []).filter((entry) => entry.startsWith('.'));
  const end = () => process.kill();
  signal.addEventListener('abort', end);
  // The load may have been aborted while the process was started.
  if (signal.aborted) end();
  try {
    return await killIfFails([process], async () => {
      await debugging.openAndWait({ language, process });
      const loaded = await process.initialize(
        {
          project_dir: project.dir,
          environment: lateVariables,
          graphs: graphsOf(project, language),
          extras: extrasIn(project, language),
          server: await server(),
          module_paths: dependencies.map((folder) => path.resolve(project.dir, folder)),
        },
        limit,
      );
      signal.throwIfAborted();
      return { process, loaded: explainOpenFilesLimit(loaded) };
    });
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/**
 * The limit for loading. An open folder has none by default, because the person who opened it sees what it is waiting
 * for, and can stop it.
 * @throws Error for a variable that is not a number of seconds
 */
function loadLimit(project: Project, isDeployed: boolean): LoadLimit | undefined {
  const seconds =
    readSeconds(LOAD_SECONDS_VARIABLE, mergeEnvironments([globalThis.process.env, project.env])) ??
    (isDeployed ? LOAD_SECONDS : undefined);
  if (seconds === undefined) return undefined;
  return { quietMs: 1000 * seconds, silentMs: 1000 * seconds * SILENT_TIMES };
}

function graphsOf(project: Project, language: Language): Record<string, Project['graphs'][string]> {
  return Object.fromEntries(
    Object.entries(project.graphs).filter(([, graph]) => languageOf(graph.path) === language),
  );
}

function extrasIn(project: Project, language: Language): ProjectExtras {
  return Object.fromEntries(
    Object.entries(extrasOf(project)).filter(([, place]) => extraLanguage(project, place) === language),
  );
}

/** The statuses of the graphs of a language whose process could not be started. */
function failedGraphs(project: Project, language: Language, reason: unknown): GraphStatus[] {
  const { name, message } = reason instanceof Error ? reason : { name: 'Error', message: String(reason) };
  return Object.keys(graphsOf(project, language)).map((graph_id) => ({
    status: 'failed',
    graph_id,
    error: { name, message },
  }));
}
