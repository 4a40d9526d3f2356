import path from 'node:path';
import { z } from 'zod';
import { ArgumentError } from '../../argument-error.ts';
import { readDatabase, readSecretsKey, VARIABLES } from '../../environment-values.ts';
import type { NamedAgent } from './moved-row.ts';

/** A move, with its source and target. */
export interface MoveRequest {
  /** Absolute path of the data folder. */
  readonly dataDir: string;
  readonly database: string;
  /** `s3://bucket/prefix`, or the absolute path of a folder. */
  readonly objects: string | undefined;
  /** The environment variables with the address and credentials of the object store. */
  readonly storeEnvironment: NodeJS.ProcessEnv;
  readonly secretsKey: Buffer | undefined;
  readonly agent: NamedAgent | undefined;
  readonly isDryRun: boolean;
  /** The ID or name of a workspace of the team to move to the folder. Without it, the folder is moved to the team. */
  readonly workspace: string | undefined;
}

/** The options of the command line, as JSON. */
const Given = z.object({
  dry_run: z.boolean().default(false),
  workspace: z.string().optional(),
  /** The langgraph.json of an agent that is served by name. */
  agent: z.object({ config_path: z.string(), name: z.string() }).optional(),
});

/** Reads the options of a move from JSON, and the rest from the environment. @throws ArgumentError */
export function readMoveRequest(json: string, dataDir: string, environment: NodeJS.ProcessEnv): MoveRequest {
  const { dry_run, agent, workspace } = Given.parse(JSON.parse(json));
  const database = readDatabase(environment[VARIABLES.database]);
  if (database === undefined)
    throw new ArgumentError(`Set ${VARIABLES.database} to the URL of a PostgreSQL database.`);
  const { [VARIABLES.objects]: objects = '', [VARIABLES.secretsKey]: secretsKey = '' } = environment;
  return {
    dataDir,
    database,
    objects: objects === '' ? undefined : objects,
    storeEnvironment: environment,
    secretsKey: secretsKey === '' ? undefined : readSecretsKey(secretsKey),
    agent: agent && { configPath: path.resolve(agent.config_path), name: agent.name },
    isDryRun: dry_run,
    workspace,
  };
}
