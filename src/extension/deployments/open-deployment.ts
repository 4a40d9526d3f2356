import type { Client } from '../../client/client.ts';
import type { LiveDeployment } from '../../contract/harbor.ts';
import type { PlatformConnection } from '../connections/connection.ts';
import type { Config } from './configs.ts';

/** A deployment that can be run, wherever it is, with a client for its agent server. */
export interface OpenDeployment {
  /** Identifies the deployment, even after a restart of the window: see `deployment-key.ts`. */
  readonly key: string;
  readonly name: string;
  /** Whether it is a production deployment. */
  readonly isProduction?: boolean;
  /** The platform it is on, which also has its traces. */
  readonly connection: PlatformConnection;
  /** A client of its agent server. */
  readonly client: Client;
  /** Its config, only for a deployment of an open folder. */
  readonly config?: Config;
  /** Its live state, only for a deployment of an open folder. */
  readonly live?: LiveDeployment;
}

/** The name of a deployment and, unless it is of an open folder, of its connection: `support · Cloud US`. */
export function deploymentLabel({
  name,
  connection,
  config,
}: Pick<OpenDeployment, 'name' | 'connection' | 'config'>): string {
  return config !== undefined || name === connection.label ? name : `${name} · ${connection.label}`;
}
