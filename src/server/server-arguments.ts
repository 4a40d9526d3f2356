import path from 'node:path';
import { parseArgs } from 'node:util';
import { harbor } from '../contract/harbor.ts';
import { LOG_LEVELS, SERVER_NUMBERS, variableOf } from '../process/server-settings.ts';
import { ArgumentError } from './argument-error.ts';
import type { OpenRequest } from './folders/open-folders.ts';
import { type ImageAgent, readImageAgent } from './image-agent.ts';
import { type KeyRotation, readKeyRotation } from './key-rotation.ts';
import { type MoveRequest, readMoveRequest } from './team/moving/move-request.ts';
import { readTeamPlatform, type TeamPlatform } from './team/team-platform.ts';

/** The arguments of the server process. */
export interface ServerArguments {
  /** Absolute path. */
  readonly dataDir: string;
  readonly port: number | undefined;
  readonly logLevel: string;
  readonly githubApi: string;
  readonly jobsPerRuntime: number;
  readonly runTimeoutSeconds: number;
  readonly installTimeoutSeconds: number;
  readonly sleepAfterSeconds: number;
  /** How long a team's server waits for supersteps and responses before it ends. */
  readonly drainSeconds: number;
  /** How long requests wait for an unreachable database of a team before they are refused. */
  readonly databasePatienceSeconds: number;
  readonly graceSeconds: number | undefined;
  readonly holderGraceSeconds: number;
  readonly continueAfterCrash: boolean;
  /** Whether a parent process holds standard input open for as long as it needs the server. */
  readonly untilStdinEnds: boolean;
  /** The folder to open first, which the user who starts the server trusts. */
  readonly firstFolder: OpenRequest | undefined;
  /** The agent that the server in an image serves. */
  readonly imageAgent: ImageAgent | undefined;
  /** The platform of a team that the server belongs to. */
  readonly team: TeamPlatform | undefined;
  /** The move to perform instead of serving. */
  readonly move: MoveRequest | undefined;
  /** The rotation of the secrets key to perform instead of serving. */
  readonly rotation: KeyRotation | undefined;
}

/**
 * The text that `--help` prints, without `--folder` and `--holder-grace-seconds`, which only launchers
 * pass.
 */
export const HELP = `Usage: node server.js --data-dir <folder> [options]

Runs the platform of a data folder until it is stopped, and logs to standard error.

  --data-dir <folder>                   folder for all data
  --port <number>                       port for the platform; 0 for any free port (default: the last one used)
${helpOfNumbers()}
  --github-api <url>                    URL of GitHub's API, for integrations (default: $GITHUB_API_URL, or github.com's)
  --log-level <level>                   trace, debug, info, warn, error, fatal or silent (default: info)
  --grace-seconds <seconds>             stop the server after this idle time (default: never)
  --until-stdin-ends                    stop when standard input ends, as it does when a parent process is killed
  --no-continue                         do not continue runs that a crash interrupted
  --agent <langgraph.json>              also serve this agent, on all addresses at $PORT (default: 8000), with the key
                                        $AGENT_HARBOR_API_KEY, and exit if its graphs do not load; used by images
  --team                                serve a team's platform, on all addresses at $PORT (default: 8000). Reads
                                        $AGENT_HARBOR_DATABASE, $AGENT_HARBOR_OBJECTS, $AGENT_HARBOR_API_KEY,
                                        $AGENT_HARBOR_SECRETS_KEY, $AGENT_HARBOR_URL, $AGENT_HARBOR_AGENTS_URL,
                                        $AGENT_HARBOR_ROLES, $AGENT_HARBOR_DATABASE_REPLICA
  --move <json>                         move the data folder to a team's $AGENT_HARBOR_DATABASE and $AGENT_HARBOR_OBJECTS, or
                                        a workspace of the team to the folder, then exit; used by agent-harbor move
  --rotate-secrets-key <whose>          encrypt the secrets of the data folder (folder) with a new key, or those of a team
                                        (team) with $AGENT_HARBOR_NEW_SECRETS_KEY, then exit
  --help                                print this help

Options that take a number, and --log-level, can also be set by variables such as $${variableOf('jobs-per-runtime')}.
`;

const FirstFolder = harbor.openFolder.body;

/**
 * Reads the command line.
 * @param args the arguments after the names of Node and the script.
 * @returns `help` when help is requested.
 * @throws ArgumentError; SyntaxError or ZodError for an invalid `--folder`, which only launchers pass.
 */
export function readArguments(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): ServerArguments | 'help' {
  const values = parse(args);
  if (values.help === true) return 'help';
  const dataDir = values['data-dir'];
  if (dataDir === undefined) throw new ArgumentError('--data-dir <folder> is required.');
  const number = (name: NumberOption) => numberOf(name, values[name]);
  const tuned = (name: TunedNumber) => tunedNumber(name, values[name], environment);
  return {
    dataDir: path.resolve(dataDir),
    port: number('port'),
    logLevel: readLogLevel(values['log-level'], environment),
    githubApi: values['github-api'] ?? environment.GITHUB_API_URL ?? 'https://api.github.com',
    jobsPerRuntime: tuned('jobs-per-runtime'),
    runTimeoutSeconds: tuned('run-timeout-seconds'),
    installTimeoutSeconds: tuned('install-timeout-seconds'),
    sleepAfterSeconds: tuned('sleep-after-seconds'),
    drainSeconds: tuned('drain-seconds'),
    databasePatienceSeconds: tuned('database-patience-seconds'),
    graceSeconds: number('grace-seconds'),
    holderGraceSeconds: number('holder-grace-seconds') ?? 30,
    continueAfterCrash: values['no-continue'] !== true,
    untilStdinEnds: values['until-stdin-ends'] === true,
    firstFolder: values.folder === undefined ? undefined : FirstFolder.parse(JSON.parse(values.folder)),
    imageAgent: values.agent === undefined ? undefined : readImageAgent(values.agent, environment),
    team: values.team === true ? readTeamPlatform(environment) : undefined,
    move:
      values.move === undefined
        ? undefined
        : readMoveRequest(values.move, path.resolve(dataDir), environment),
    rotation:
      values['rotate-secrets-key'] === undefined
        ? undefined
        : readKeyRotation(values['rotate-secrets-key'], environment),
  };
}

/** The ranges of options that only the command line can set. */
const NUMBERS = {
  port: [0, 65_535],
  'grace-seconds': [0, 1e9],
  'holder-grace-seconds': [0, 1e9],
} as const;
type NumberOption = keyof typeof NUMBERS;

function numberOf(name: NumberOption, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return within(`--${name}`, text, { range: NUMBERS[name], isWhole: name === 'port' });
}

/** @param isWhole refuses fractions. @throws ArgumentError */
function within(
  name: string,
  text: string,
  { range: [minimum, maximum], isWhole }: { range: readonly [number, number]; isWhole: boolean },
): number {
  const value = Number(text);
  const isNumber = text.trim() !== '' && (!isWhole || Number.isInteger(value));
  if (isNumber && value >= minimum && value <= maximum) return value;
  const kind = isWhole ? 'a whole number' : 'a number';
  throw new ArgumentError(`${name} must be ${kind} from ${minimum} to ${maximum}, not '${text}'.`);
}

/** An option that a variable can also set. */
type TunedNumber = keyof typeof SERVER_NUMBERS;

/** The option's value, else its variable's, else the default. @throws ArgumentError */
function tunedNumber(name: TunedNumber, given: string | undefined, environment: NodeJS.ProcessEnv): number {
  const { minimum, maximum, byDefault, unit } = SERVER_NUMBERS[name];
  const limits = { range: [minimum, maximum], isWhole: unit === 'number' } as const;
  if (given !== undefined) return within(`--${name}`, given, limits);
  const variable = variableOf(name);
  const text = environment[variable] ?? '';
  return text === '' ? byDefault : within(variable, text, limits);
}

function readLogLevel(given: string | undefined, environment: NodeJS.ProcessEnv): string {
  const variable = variableOf('log-level');
  const level = given ?? (environment[variable] || 'info');
  if (LOG_LEVELS.some((known) => known === level)) return level;
  const name = given === undefined ? variable : '--log-level';
  throw new ArgumentError(`${name} must be one of ${LOG_LEVELS.join(', ')}, not '${level}'.`);
}

function helpOfNumbers(): string {
  return Object.entries(SERVER_NUMBERS)
    .map(
      ([name, { what, unit, byDefault }]) =>
        `  ${`--${name} <${unit}>`.padEnd(38)}${what} (default: ${byDefault})`,
    )
    .join('\n');
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        'data-dir': text,
        port: text,
        'grace-seconds': text,
        'holder-grace-seconds': text,
        'log-level': text,
        'jobs-per-runtime': text,
        'run-timeout-seconds': text,
        'install-timeout-seconds': text,
        'github-api': text,
        'sleep-after-seconds': text,
        'drain-seconds': text,
        'database-patience-seconds': text,
        'no-continue': flag,
        'until-stdin-ends': flag,
        folder: text,
        agent: text,
        team: flag,
        move: text,
        'rotate-secrets-key': text,
        help: flag,
      },
    }).values;
  } catch (error) {
    const [sentence = ''] = String(error instanceof Error ? error.message : error).split('. ');
    throw new ArgumentError(`${sentence.replace(/\.$/, '')}. Try --help.`);
  }
}
