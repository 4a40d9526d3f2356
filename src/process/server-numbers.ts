/** A numeric setting of a server, given by an option or by the variable of the same name. */
export interface ServerNumber {
  readonly what: string;
  readonly unit: 'number' | 'seconds';
  readonly least: number;
  readonly most: number;
  readonly otherwise: number;
}

/** How much a server does at a time and how long it waits, by option. */
export const SERVER_NUMBERS = {
  'jobs-per-runtime': {
    what: 'maximum number of concurrent runs of a deployment',
    unit: 'number',
    least: 1,
    most: 10_000,
    otherwise: 10,
  },
  'run-timeout-seconds': {
    what: 'stop a run after this time',
    unit: 'seconds',
    least: 0,
    most: 1e9,
    otherwise: 86_400,
  },
  'install-timeout-seconds': {
    what: 'stop a build command after this time',
    unit: 'seconds',
    least: 0,
    most: 1e6,
    otherwise: 600,
  },
  'sleep-after-seconds': {
    what: "stop a deployment's process after this idle time",
    unit: 'seconds',
    least: 0,
    most: 1e9,
    otherwise: 300,
  },
  // Less than the 30 seconds that Kubernetes gives a container to end.
  'drain-seconds': {
    what: 'how long a stopping team server waits for supersteps and responses',
    unit: 'seconds',
    least: 0,
    most: 86_400,
    otherwise: 25,
  },
  'database-patience-seconds': {
    what: "how long requests wait while a team's database cannot be reached",
    unit: 'seconds',
    least: 0,
    most: 86_400,
    otherwise: 30,
  },
} as const satisfies Readonly<Record<string, ServerNumber>>;

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** The variable for an option, such as `AGENT_HARBOR_JOBS_PER_RUNTIME`. */
export function variableOf(option: string): string {
  return `AGENT_HARBOR_${option.toUpperCase().replaceAll('-', '_')}`;
}

/** All variables for options. */
export const OPTION_VARIABLES: readonly string[] = [...Object.keys(SERVER_NUMBERS), 'log-level'].map(
  variableOf,
);
