import type { BuildStore } from './builds/build-store.ts';
import type { Follower, FollowerOptions } from './deployments/follower.ts';

/** Servers that share all deployments. */
export interface TeamOptions {
  /** Where they share the files of builds. */
  readonly store: BuildStore;
  /** Where clients reach the platform of any of them. */
  readonly url: string;
  /** Whether this server works on revisions, or leaves all to other servers. */
  readonly builds: boolean;
  /** Where clients reach a deployment at any of them. */
  agentUrl(deploymentId: string): string;
  /** Makes what serves the deployments of the others here. */
  follow(options: FollowerOptions): Follower;
}
