import type { LaunchRuntime } from '../process/launch-runtime.ts';
import { type Project, readProject } from '../project/project.ts';
import type { ChosenPython } from './load-generation.ts';

/** A variable with the interpreter of Python graphs, in a terminal or an env file. */
const PYTHON_VARIABLE = 'AGENT_HARBOR_PYTHON';

/** The source of a runtime and its variables; a rollout replaces it. */
export interface RuntimeSource {
  readonly configPath: string;
  /** The interpreter of Python graphs, or its environment's folder; undefined for the one that is found. */
  readonly python?: string | undefined;
  /** The environment that its processes inherit; the server's own when absent. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Values for variables that graphs lack. */
  readonly standIns?: Readonly<Record<string, string>> | undefined;
  /** For built deployments: their own variables, and the passed part of the server's environment. */
  readonly deployed?: {
    /** The served revision; undefined where there are none. */
    readonly revisionId?: string | undefined;
    readonly env: Readonly<Record<string, string>>;
    readonly inherited: Readonly<Record<string, string>>;
    /** How its runtime is started, if not as an ordinary process of this machine. */
    readonly launch?: LaunchRuntime | undefined;
    /** Whether its runs are recorded unless their requests say otherwise. */
    readonly records?: boolean;
  };
}

/**
 * The project of a source; a deployment's own variables override those of its files.
 * @throws ProjectError
 */
export async function readSource(source: RuntimeSource): Promise<Project> {
  const { configPath, deployed, standIns = {} } = source;
  const inherited = inheritedOf(source);
  const project = await readProject(configPath, inherited);
  if (deployed === undefined) {
    const lacking = lackingOf(standIns, { ...inherited, ...project.env });
    return { ...project, env: { ...project.env, ...lacking } };
  }
  // A build gets its variables from its deployment; sources contain no env files.
  return {
    ...project,
    env: { ...project.env, ...deployed.env },
    missingEnv: undefined,
    isApart: deployed.launch !== undefined,
  };
}

/** The variables that the graphs of a source inherit, without the project's own, which take precedence. */
export function inheritedOf({
  environment,
  deployed,
}: RuntimeSource): Readonly<Record<string, string | undefined>> {
  return deployed?.inherited ?? environment ?? process.env;
}

/** The values whose variables are missing or empty, like secrets in CI and lines of a copied .env.example. */
export function lackingOf(
  values: Readonly<Record<string, string>>,
  known: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !known[name]));
}

/** The selected interpreter: from an option, else the env file, else the terminal. */
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
