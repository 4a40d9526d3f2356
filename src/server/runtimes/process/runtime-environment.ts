import { mergeEnvironments } from '../../../process/merge-environments.ts';
import { pickVariables } from '../../../process/pick-variables.ts';
import { isTracingVariable } from '../../../project/tracing-variables.ts';
import type { LogBook } from '../output/log-book.ts';
import type { Project } from '../project/project.ts';

/** Where the `langsmith` SDK in a runtime sends its spans. */
export interface TracingTarget {
  readonly endpoint: string;
  readonly apiKey: string;
  readonly project: string;
}

const TRACING_VARIABLE = 'AGENT_HARBOR_TRACING';
/** The values of the variable; empty means that it is not set. */
const KNOWN_PLACES: readonly string[] = ['', 'local', 'cloud', 'off'];

/** Variables of editors and of this server that graphs must not inherit. */
const NOT_INHERITED = /^(?:VSCODE_|ELECTRON_|NODE_OPTIONS$|NODE_CHANNEL_FD$|AGENT_HARBOR_)/;

/**
 * The environment in which a user's graphs run: inherited variables, then the project's, then variables that direct
 * traces to this server. `AGENT_HARBOR_TRACING=cloud` keeps the project's own tracing settings, `off` turns tracing
 * off. Overridden variables are logged.
 */
export function runtimeEnvironment(
  project: Project,
  target: TracingTarget,
  log: LogBook,
  base: NodeJS.ProcessEnv,
): Record<string, string> {
  const environment = untargetedEnvironment(project, base);
  const where = tracingPlace(project, base);
  if (where !== undefined && !KNOWN_PLACES.includes(where)) {
    log.write(
      'WARNING',
      `AGENT_HARBOR_TRACING must be local, cloud or off, not '${where}'. Traces are stored on this server.`,
    );
  }
  if (where === 'cloud') {
    log.write(
      'INFO',
      'Traces are sent according to your LANGSMITH settings, because AGENT_HARBOR_TRACING is cloud.',
    );
    return environment;
  }
  if (where === 'off') {
    log.write('INFO', 'Runs are not traced, because AGENT_HARBOR_TRACING is off.');
    return environment;
  }
  const overridden = Object.keys(project.env).filter(isTracingVariable);
  if (overridden.length > 0) {
    log.write(
      'WARNING',
      `Traces stay on this machine: ${overridden.join(', ')} in the env file are ignored (set AGENT_HARBOR_TRACING=cloud to use them).`,
    );
  }
  return mergeEnvironments([environment, tracingVariables(target)]);
}

/** The variables that tell a `langsmith` SDK where to send its spans. */
export function tracingVariables({ endpoint, apiKey, project }: TracingTarget): Record<string, string> {
  return {
    LANGSMITH_TRACING: 'true',
    // This variable takes precedence over LANGCHAIN_TRACING_V2, which code may set to false so as not to send
    // anything to LangSmith.
    LANGSMITH_TRACING_V2: 'true',
    LANGSMITH_ENDPOINT: endpoint,
    LANGSMITH_API_KEY: apiKey,
    LANGSMITH_PROJECT: project,
  };
}

/** The environment before the tracing destination is known. */
export function untargetedEnvironment(
  project: Pick<Project, 'env'>,
  base: NodeJS.ProcessEnv,
): Record<string, string> {
  const inherited = pickVariables(base, (name) => !NOT_INHERITED.test(name));
  const own = mergeEnvironments([inherited, project.env, { NO_COLOR: '1' }]);
  if (tracingPlace(project, base) === 'cloud') return own;
  return Object.fromEntries(Object.entries(own).filter(([name]) => !isTracingVariable(name)));
}

/** The value of `AGENT_HARBOR_TRACING`. */
function tracingPlace(project: Pick<Project, 'env'>, base: NodeJS.ProcessEnv): string | undefined {
  return project.env[TRACING_VARIABLE] ?? base[TRACING_VARIABLE];
}
