import * as vscode from 'vscode';
import type { ConnectionState } from '../connections/connection.ts';
import type { Connections } from '../connections/connections.ts';
import type { AutoStart } from '../deployments/auto-start.ts';
import type { FolderConfigs } from '../deployments/configs.ts';
import type { CurrentDeployment, Deployments } from '../deployments/deployments.ts';

/**
 * Sets the context keys that the `when` clauses of package.json use: `agentHarbor.scanned`, `.hasConfig`,
 * `.server` (of the local server), `.connection` (of the platform that the views show), `.hasRemote`,
 * `.agentServerOnly`, `.current` (where the current deployment is: `folder`, `platform` or `none`),
 * `.canRun` (whether some of its graphs can run, or are still loading), `.isLoading` (whether the graphs of
 * its folder are loading for the first time).
 */
export function keepContextKeys(
  configs: FolderConfigs,
  connections: Connections,
  deployments: Deployments,
  autoStart: AutoStart,
): vscode.Disposable {
  const current = new Map<string, unknown>();
  const set = (key: string, value: unknown): void => {
    if (current.get(key) === value) return;
    current.set(key, value);
    void vscode.commands.executeCommand('setContext', `agentHarbor.${key}`, value);
  };
  const scan = async (): Promise<void> => {
    const listing = configs.list();
    const { length } = await listing;
    // The files have changed meanwhile, and a later scan may already have set the keys.
    if (listing !== configs.list()) return;
    set('hasConfig', length > 0);
    set('scanned', true);
  };
  const follow = async (): Promise<void> => {
    const [deployment, isDue] = await Promise.all([deployments.current(), autoStart.isDue()]);
    const { connection } = deployments;
    const { local } = connections;
    // A server that is about to start automatically counts as starting, so that no button to start it
    // flashes.
    const statusOf = ({ status }: ConnectionState): string =>
      status === 'stopped' && isDue ? 'starting' : status;
    set('server', statusOf(local.state));
    set('connection', connection === local ? statusOf(local.state) : connection.state.status);
    set('agentServerOnly', connection.isAgentServerOnly);
    set('hasRemote', connections.remotes.length > 0);
    set('current', deployment?.in ?? 'none');
    set('canRun', deployment !== undefined && canRun(deployment));
    set('isLoading', deployment !== undefined && isLoading(deployment));
  };
  void scan();
  void follow();
  return vscode.Disposable.from(
    configs.onDidChange(scan),
    connections.onDidChange(follow),
    deployments.onDidChange(follow),
  );
}

/**
 * Whether a deployment has graphs that can be run: not if its folder was refused, or all graphs of its
 * folder have failed to load.
 */
function canRun(current: CurrentDeployment): boolean {
  if (current.in === 'platform') return true;
  const { state } = current.deployment;
  if (state.status === 'refused') return false;
  if (state.status !== 'open') return true;
  const { runtime } = state.live;
  if (runtime.state === 'failed') return false;
  return runtime.state !== 'ready' || runtime.graphs.some(({ status }) => status === 'loaded');
}

/**
 * Whether the graphs of a deployment's folder are loading for the first time: not if earlier ones are known
 * (`before`), which can still be shown.
 */
function isLoading(current: CurrentDeployment): boolean {
  if (current.in === 'platform') return false;
  const { state, before } = current.deployment;
  if (before !== undefined || state.status === 'refused') return false;
  return state.status !== 'open' || state.live.runtime.state === 'starting';
}
