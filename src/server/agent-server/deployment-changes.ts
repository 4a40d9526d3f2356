import type { Change } from '../../contract/harbor.ts';
import type { ChangeFeed } from '../http/change-feed.ts';

interface ChangedDeployment {
  readonly id: string;
  readonly workspaceId: string;
}

/** Informs the workspace's listeners of changes in one deployment. */
export class DeploymentChanges {
  readonly #feed: ChangeFeed;
  readonly #deployment: ChangedDeployment;

  constructor(feed: ChangeFeed, deployment: ChangedDeployment) {
    this.#feed = feed;
    this.#deployment = deployment;
  }

  publish(resource: 'assistant' | 'thread' | 'run', action: Change['action'], id: string): void {
    const { id: deployment_id, workspaceId } = this.#deployment;
    this.#feed.publish(workspaceId, { resource, action, id, deployment_id });
  }
}
