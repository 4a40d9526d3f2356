import path from 'node:path';
import { parseArgs } from 'node:util';
import { harbor } from '../contract/harbor.ts';
import { ArgumentError } from './argument-error.ts';
import type { OpenRequest } from './folders/open-folders.ts';
import { type ImageAgent, readImageAgent } from './image-agent.ts';
import { type KeyRotation, readKeyRotation } from './key-rotation.ts';
import { type MoveRequest, readMoveRequest } from './moving/move-request.ts';
import { readTeamPlatform, type TeamPlatform } from './team-platform.ts';

/** The arguments of the server's process. */
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
  readonly graceSeconds: number | undefined;
  readonly holderGraceSeconds: number;
  readonly continueAfterCrash: boolean;
  /** Whether a parent process holds standard input open as long as it wants the server. */
  readonly untilStdinEnds: boolean;
  /** The folder to open first, which the user who starts the server trusts. */
  readonly firstFolder: OpenRequest | undefined;
  /** What the server of an image is for. */
  readonly imageAgent: ImageAgent | undefined;
  /** The team whose platform the server is one of. */
  readonly team: TeamPlatform | undefined;
  /** What is moved instead of serving it. */
  readonly move: MoveRequest | undefined;
  /** Whose secrets are encrypted with a new key instead of serving them. */
  readonly rotation: KeyRotation | undefined;
}

/** Printed by `--help`. */
export const HELP = `Usage: node server.js --data-dir <folder> [options]

Runs the platform of a data folder until it is stopped, and logs to standard error.

  --data-dir <folder>                 keep all data in this folder
  --port <number>                     port for the platform; 0 for any free port (default: the last one used)
  --sleep-after-seconds <seconds>     stop the process of a deployment that was unused for this long (default: 300)
  --install-timeout-seconds <seconds> stop a build command that takes longer (default: 600)
  --run-timeout-seconds <seconds>     stop a run that takes longer (default: 86400)
  --jobs-per-runtime <number>         runs of a deployment at the same time (default: 10)
  --github-api <url>                  GitHub's API, for integrations (default: $GITHUB_API_URL, or github.com's)
  --log-level <level>                 trace, debug, info, warn, error, fatal or silent (default: info)
  --grace-seconds <seconds>           stop the server when it was unused for this long (default: never)
  --until-stdin-ends                  stop when standard input ends, as it does when a parent process is killed
  --no-continue                       do not continue runs that were in progress during a crash
  --agent <langgraph.json>            also serve this agent, on all addresses at $PORT (default: 8000), for the key
                                      $AGENT_HARBOR_API_KEY, and stop when its graphs do not load: for images
  --team                              be one of the servers of a team's platform, on all addresses at $PORT (default:
                                      8000): $AGENT_HARBOR_DATABASE, $AGENT_HARBOR_OBJECTS, $AGENT_HARBOR_API_KEY,
                                      $AGENT_HARBOR_SECRETS_KEY, $AGENT_HARBOR_URL, $AGENT_HARBOR_AGENTS_URL,
                                      $AGENT_HARBOR_ROLES
  --move <json>                       move the data folder to a team's $AGENT_HARBOR_DATABASE and $AGENT_HARBOR_OBJECTS
                                      instead of serving it, or a workspace of the team to the folder: agent-harbor move
  --rotate-secrets-key <whose>        encrypt the secrets of the data folder with a new key instead of serving it (folder),
                                      or those of a team with $AGENT_HARBOR_NEW_SECRETS_KEY (team)
  --help                              print this
`;

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
const FirstFolder = harbor.openFolder.body;

/**
 * Reads the command line.
 * @param args without the names of Node and the script.
 * @returns `help` when that is requested.
 * @throws ArgumentError
 */
export function readArguments(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): ServerArguments | 'help' {
  const values = parse(args);
  if (values.help === true) return 'help';
  const dataDir = values['data-dir'];
  if (dataDir === undefined) throw new ArgumentError('--data-dir <folder> is required.');
  const logLevel = values['log-level'] ?? 'info';
  if (!LEVELS.includes(logLevel)) throw new ArgumentError(`--log-level must be one of ${LEVELS.join(', ')}.`);
  const number = (name: NumberOption) => numberOf(name, values[name]);
  return {
    dataDir: path.resolve(dataDir),
    port: number('port'),
    logLevel,
    githubApi: values['github-api'] ?? environment.GITHUB_API_URL ?? 'https://api.github.com',
    jobsPerRuntime: number('jobs-per-runtime') ?? 10,
    runTimeoutSeconds: number('run-timeout-seconds') ?? 86_400,
    installTimeoutSeconds: number('install-timeout-seconds') ?? 600,
    sleepAfterSeconds: number('sleep-after-seconds') ?? 300,
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

/** Where each number begins and ends. */
const NUMBERS = {
  port: [0, 65_535],
  'jobs-per-runtime': [1, 10_000],
  'run-timeout-seconds': [0, 1e9],
  'install-timeout-seconds': [0, 1e6],
  'sleep-after-seconds': [0, 1e9],
  'grace-seconds': [0, 1e9],
  'holder-grace-seconds': [0, 1e9],
} as const;
type NumberOption = keyof typeof NUMBERS;

function numberOf(name: NumberOption, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [least, most] = NUMBERS[name];
  const value = Number(text);
  if (text.trim() !== '' && value >= least && value <= most) return value;
  throw new ArgumentError(`--${name} must be a number from ${least} to ${most}, not '${text}'.`);
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
