/** A numeric setting of a server, given by an option or by the variable of the same name. */
export interface ServerNumber {
  /** The meaning, for the lists of options and variables. */
  readonly what: string;
  readonly unit: 'number' | 'seconds';
  readonly minimum: number;
  readonly maximum: number;
  readonly byDefault: number;
}

/** Numeric settings of a server, by the name of the option. */
export const SERVER_NUMBERS = {
  'jobs-per-runtime': {
    what: 'maximum number of concurrent runs of a deployment',
    unit: 'number',
    minimum: 1,
    maximum: 10_000,
    byDefault: 10,
  },
  'run-timeout-seconds': {
    what: 'stop a run after this time',
    unit: 'seconds',
    minimum: 0,
    maximum: 1e9,
    byDefault: 86_400,
  },
  'install-timeout-seconds': {
    what: 'stop a build command after this time',
    unit: 'seconds',
    minimum: 0,
    maximum: 1e6,
    byDefault: 600,
  },
  'sleep-after-seconds': {
    what: "stop a deployment's process after this idle time",
    unit: 'seconds',
    minimum: 0,
    maximum: 1e9,
    byDefault: 300,
  },
  // The default is less than the 30 seconds that Kubernetes gives a container to end.
  'drain-seconds': {
    what: 'how long a stopping team server waits for supersteps and responses',
    unit: 'seconds',
    minimum: 0,
    maximum: 86_400,
    byDefault: 25,
  },
  'database-patience-seconds': {
    what: "how long requests wait while a team's database cannot be reached",
    unit: 'seconds',
    minimum: 0,
    maximum: 86_400,
    byDefault: 30,
  },
} as const satisfies Readonly<Record<string, ServerNumber>>;

/** The values of the setting `log-level`, the most verbose first. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** The variable for an option, such as `AGENT_HARBOR_JOBS_PER_RUNTIME`. */
export function variableOf(option: string): string {
  return `AGENT_HARBOR_${option.toUpperCase().replaceAll('-', '_')}`;
}

/** The variables for all of these settings. */
export const optionVariables: readonly string[] = [...Object.keys(SERVER_NUMBERS), 'log-level'].map(
  variableOf,
);
