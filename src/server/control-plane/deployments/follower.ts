import type { Logger } from '../../logger.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { Builder } from '../builds/builder.ts';
import type { DeploymentStore } from '../data/deployment-store.ts';
import type { LogStore } from '../data/log-store.ts';
import type { RevisionStore } from '../data/revision-store.ts';
import type { Pruning } from '../revisions/pruning.ts';
import type { RevisionPipeline } from '../revisions/revision-pipeline.ts';
import type { DeploymentServers } from '../serving/deployment-servers.ts';
import type { Deployments } from './deployments.ts';

/** Makes this server serve the deployments that other servers of the team have built. */
export interface Follower {
  start(): void;
  /**
   * Serves a deployment that this server does not serve yet.
   * @returns false for an unknown deployment, or one that has no revision to serve yet.
   * @throws HttpError 503 when it cannot be served here.
   */
  bring(deploymentId: string): Promise<boolean>;
  close(): Promise<void>;
}

/** The parts of a control plane that a follower works with. */
export interface FollowerOptions {
  readonly db: StateDatabase;
  readonly deployments: Deployments;
  readonly stores: {
    readonly deployments: DeploymentStore;
    readonly revisions: RevisionStore;
    readonly logs: LogStore;
  };
  readonly servers: DeploymentServers;
  readonly pipeline: RevisionPipeline;
  readonly builder: Builder;
  readonly pruning: Pruning;
  readonly logger: Logger;
}
