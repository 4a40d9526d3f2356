import type { Connections } from '../connections/connections.ts';
import type { Deployments } from '../deployments/deployments.ts';
import { RevisionNumbers } from '../deployments/revision-numbers.ts';
import type { RevisionRows } from './connection-row.ts';
import { ConnectionElement } from './connections.ts';
import { DeploymentElement, failureText } from './deployments.ts';
import { listAllDeployments } from './platform-deployments.ts';
import type { TreeElement, TreeSource } from './tree.ts';

/** The live deployments of the open folders, then the platforms with theirs. */
export class DeploymentsSource implements TreeSource {
  readonly #deployments: Deployments;
  readonly #connections: Connections;
  /** How many revisions each deployment shows; "load more" adds some, which stay however often they are read. */
  readonly #revisions: RevisionRows = { shown: new Map(), numbers: new RevisionNumbers() };
  message: string | undefined;

  constructor(deployments: Deployments, connections: Connections) {
    this.#deployments = deployments;
    this.#connections = connections;
  }

  async roots(): Promise<readonly TreeElement[]> {
    const current = (await this.#deployments.current())?.key;
    const [live, local] = await Promise.all([this.#ofFolders(current), this.#readLocal(current)]);
    const remotes = this.#connections.remotes.map(
      (remote) => new ConnectionElement(remote, remote.stored.workspace?.name, current, this.#revisions),
    );
    // Alone, a local server that is not running has a welcome view that says more.
    const isLocalShown = local !== undefined && (remotes.length > 0 || local.getChildren !== undefined);
    return [...live, ...(isLocalShown ? [local] : []), ...remotes];
  }

  async #ofFolders(current: string | undefined): Promise<readonly TreeElement[]> {
    const { folders } = this.#deployments;
    const { status } = this.#connections.local.state;
    this.message = undefined;
    if (!(await folders.canServe()) || status === 'stopped' || status === 'failed') return [];
    const selected = await folders.findSelected();
    this.message = selected && oneLine(failureText(selected));
    return (await folders.list()).map(
      (deployment) => new DeploymentElement(deployment, deployment.config.uri.fsPath === current, folders),
    );
  }

  /** The local server, where there is more to say of it than what it serves from folders. */
  async #readLocal(current: string | undefined): Promise<ConnectionElement | undefined> {
    const { local } = this.#connections;
    const { state } = local;
    const element = new ConnectionElement(local, undefined, current, this.#revisions);
    if (state.status === 'stopped' || state.status === 'failed')
      return (await this.#deployments.folders.canServe()) ? element : undefined;
    if (state.status !== 'ready') return undefined;
    return (await listAllDeployments(state.client, true)).length > 0 ? element : undefined;
  }
}

/** Longer text above the rows pushes the row that it is about out of sight, which has all of it in its hover. */
const MAX_MESSAGE = 100;

function oneLine(text: string | undefined): string | undefined {
  const line = text?.trim().split('\n', 1)[0];
  return line === undefined || line.length <= MAX_MESSAGE ? line : `${line.slice(0, MAX_MESSAGE - 1)}…`;
}
