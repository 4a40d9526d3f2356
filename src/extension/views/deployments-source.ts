import type { ConnectionState } from '../connections/connection.ts';
import type { Connections } from '../connections/connections.ts';
import type { Deployments } from '../deployments/deployments.ts';
import type { FolderDeployment } from '../deployments/folder-deployments.ts';
import { RevisionNumbers } from '../deployments/revision-numbers.ts';
import type { PackageInstaller } from '../projects/package-installer.ts';
import type { SetupGuide } from '../projects/setup-guide.ts';
import type { RevisionRows } from './connection-row.ts';
import { ConnectionElement } from './connections.ts';
import { DeploymentElement, failureText } from './deployments.ts';
import { listShownDeployments } from './platform-deployments.ts';
import { isNotSetUp, type Setup } from './setup-steps.ts';
import type { TreeElement, TreeSource } from './tree.ts';

/**
 * Longer text above the rows would push the affected row out of sight; the row's tooltip shows the whole
 * text.
 */
const MAX_MESSAGE_LENGTH = 100;

interface DeploymentsSourceParts {
  readonly deployments: Deployments;
  readonly connections: Connections;
  readonly packageInstaller: PackageInstaller;
  readonly setup: SetupGuide;
}

/** The live deployments of the open folders, then the platforms with theirs. */
export class DeploymentsSource implements TreeSource {
  readonly #deployments: Deployments;
  readonly #connections: Connections;
  readonly #installer: PackageInstaller;
  readonly #setup: SetupGuide;
  /** The state is kept here so that additional revisions stay loaded when the rows are read again. */
  readonly #revisions: RevisionRows = { shown: new Map(), numbers: new RevisionNumbers() };
  message: string | undefined;

  constructor({ deployments, connections, packageInstaller, setup }: DeploymentsSourceParts) {
    this.#deployments = deployments;
    this.#connections = connections;
    this.#installer = packageInstaller;
    this.#setup = setup;
  }

  async roots(): Promise<readonly TreeElement[]> {
    const current = (await this.#deployments.current())?.key;
    const [live, local] = await Promise.all([this.#ofFolders(current), this.#readLocal(current)]);
    const remotes = this.#connections.remotes.map(
      (remote) => new ConnectionElement(remote, remote.stored.workspace?.name, current, this.#revisions),
    );
    // If nothing else is shown, the welcome view says more about a local server that is not running.
    const isLocalShown = local !== undefined && (remotes.length > 0 || local.getChildren !== undefined);
    return [...live, ...(isLocalShown ? [local] : []), ...remotes];
  }

  async #ofFolders(current: string | undefined): Promise<readonly TreeElement[]> {
    const { folders } = this.#deployments;
    const { status } = this.#connections.local.state;
    this.message = undefined;
    if (!(await folders.canServe()) || isAway(status)) return [];
    const selected = await folders.findSelected();
    // The setup steps below the deployment say more than a sentence above the rows.
    const isGuided = selected?.state.status === 'open' && isNotSetUp(selected.state.live.runtime);
    this.message = isGuided ? undefined : selected && oneLine(failureText(selected));
    return (await folders.list()).map((deployment) => {
      const { config, state } = deployment;
      // The selected deployment is opened as soon as the server has started.
      const isNext = status === 'starting' && state.status === 'closed' && config === selected?.config;
      return new DeploymentElement(
        isNext ? { ...deployment, state: { status: 'opening' } } : deployment,
        config.uri.fsPath === current,
        folders,
        this.#setupOf(deployment),
      );
    });
  }

  #setupOf({ config, state }: FolderDeployment): Setup {
    const configPath = config.uri.fsPath;
    const isInstalling = this.#installer.isInstalling(configPath);
    if (isInstalling || (state.status === 'open' && isNotSetUp(state.live.runtime)))
      this.#setup.begin(configPath);
    return { isInstalling, isUnderWay: this.#setup.isUnderWay(configPath) };
  }

  /** The row of the local server, if it is not running or serves more than open folders. */
  async #readLocal(current: string | undefined): Promise<ConnectionElement | undefined> {
    const { local } = this.#connections;
    const { state } = local;
    const element = new ConnectionElement(local, undefined, current, this.#revisions);
    if (isAway(state.status)) return (await this.#deployments.folders.canServe()) ? element : undefined;
    if (state.status !== 'ready') return undefined;
    return (await listShownDeployments(state.client, local)).length > 0 ? element : undefined;
  }
}

/** Whether the local server is stopped, could not be started, or does not respond. */
function isAway(status: ConnectionState['status']): boolean {
  return status === 'stopped' || status === 'failed' || status === 'silent';
}

/** The first line of a text, cut to a length that fits above the rows. */
function oneLine(text: string | undefined): string | undefined {
  const line = text?.trim().split('\n', 1)[0];
  return line === undefined || line.length <= MAX_MESSAGE_LENGTH
    ? line
    : `${line.slice(0, MAX_MESSAGE_LENGTH - 1)}…`;
}
