import type { Objects } from '../storage/objects.ts';

/** Servers that share all deployments. */
export interface TeamOptions {
  /** The store through which they share files. */
  readonly objects: Objects;
  /** The key that secrets in the database are encrypted with. */
  readonly secretsKey: Buffer;
  /** Where clients reach the platform of any of them. */
  readonly url: string;
  /** Whether this server works on revisions, or leaves all to other servers. */
  readonly builds: boolean;
  /** Where clients reach a deployment at any of them. */
  agentUrl(deploymentId: string): string;
}
