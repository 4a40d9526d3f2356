import type { Objects } from '../storage/objects/objects.ts';

/** Servers that share all deployments. */
export interface TeamOptions {
  /** What they give each other. */
  readonly objects: Objects;
  /** What secrets in the database are encrypted with. */
  readonly secretsKey: Buffer;
  /** Where clients reach the platform of any of them. */
  readonly url: string;
  /** Where clients reach a deployment at any of them. */
  agentUrl(deploymentId: string): string;
}
