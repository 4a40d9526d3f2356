import { mergeEnvironments } from '../../../process/merge-environments.ts';
import type { LaunchRuntime } from '../process/launch-runtime.ts';
import { type Project, readProject } from '../project/project.ts';
import type { ChosenPython } from './load-generation.ts';

/** The variable that names the interpreter for Python graphs, in a terminal or an env file. */
const PYTHON_VARIABLE = 'AGENT_HARBOR_PYTHON';

/** The sources that a runtime loads, and its variables. A rollout replaces them. */
export interface RuntimeSource {
  readonly configPath: string;
  /** The interpreter for Python graphs, or its environment's folder; if undefined, one is looked for. */
  readonly python?: string | undefined;
  /** The environment that its processes inherit; the server's own when absent. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Values for variables that graphs lack. */
  readonly standIns?: Readonly<Record<string, string>> | undefined;
  /** For built deployments: their own variables, and the part of the server's environment that they get. */
  readonly deployed?: {
    /** The revision that is served; undefined in deployments without revisions. */
    readonly revisionId?: string | undefined;
    readonly env: Readonly<Record<string, string>>;
    readonly inherited: Readonly<Record<string, string>>;
    /** How the runtime is started, if not as an ordinary process on this machine. */
    readonly launch?: LaunchRuntime | undefined;
    /** Whether runs are recorded if their requests do not specify it. */
    readonly records?: boolean;
  };
}

/**
 * Reads the project of a source. A deployment's own variables override those of its files.
 * @throws ProjectError
 */
export async function readSource(source: RuntimeSource): Promise<Project> {
  const { configPath, deployed, standIns = {} } = source;
  const inherited = inheritedOf(source);
  const project = await readProject(configPath, inherited);
  if (deployed === undefined) {
    const lacking = lackingOf(standIns, mergeEnvironments([inherited, project.env]));
    return { ...project, env: mergeEnvironments([project.env, lacking]) };
  }
  // A build gets its variables from its deployment; sources contain no env files.
  return {
    ...project,
    env: mergeEnvironments([project.env, deployed.env]),
    missingEnv: undefined,
    isIsolated: deployed.launch !== undefined,
  };
}

/** The variables that the graphs of a source inherit, without the project's own, which take precedence. */
export function inheritedOf({
  environment,
  deployed,
}: RuntimeSource): Readonly<Record<string, string | undefined>> {
  return deployed?.inherited ?? environment ?? process.env;
}

/**
 * The stand-in values whose variables are missing or empty, such as secrets in CI and lines in a copied .env.example.
 */
export function lackingOf(
  values: Readonly<Record<string, string>>,
  known: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !known[name]));
}

/** The selected interpreter: from an option, otherwise from the env file, otherwise from the terminal. */
export function choosePython(
  { python, environment }: RuntimeSource,
  project: Project,
): ChosenPython | undefined {
  if (python !== undefined) return { place: python };
  const inFile = project.env[PYTHON_VARIABLE];
  if (inFile !== undefined) return { place: inFile, by: `${PYTHON_VARIABLE} in the project's env` };
  const place = (environment ?? process.env)[PYTHON_VARIABLE];
  return place === undefined ? undefined : { place, by: PYTHON_VARIABLE };
}
