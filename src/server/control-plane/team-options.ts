import type { BuildStore } from './builds/build-store.ts';
import type { Follower, FollowerOptions } from './deployments/follower.ts';

/** The options of a control plane in a team, whose servers share all deployments. */
export interface TeamOptions {
  /** The shared store of build files. */
  readonly store: BuildStore;
  /** The address of the platform on any of these servers. */
  readonly url: string;
  /** Whether this server works on revisions, or leaves all of them to other servers. */
  readonly builds: boolean;
  /** The address of a deployment on any of these servers. */
  agentUrl(deploymentId: string): string;
  /** Creates the follower that serves deployments of the other servers here. */
  follow(options: FollowerOptions): Follower;
}
