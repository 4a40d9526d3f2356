import * as vscode from 'vscode';
import type { Change } from '../../contract/harbor.ts';
import type { PlatformConnection } from '../connections/connection.ts';
import type { Connections } from '../connections/connections.ts';
import type { Deployments } from '../deployments/deployments.ts';
import { Polling } from './polling.ts';
import type { Tree } from './tree.ts';

export interface Trees {
  readonly deployments: Tree;
  readonly assistants: Tree;
  readonly threads: Tree;
  readonly traces: Tree;
}

/** Changes that come this close together are shown together. */
const TOGETHER_MS = 150;
/** Rows show relative times. */
const AGING_MS = 60_000;

/** The trees' rows, kept true. */
export interface LiveTrees extends vscode.Disposable {
  /** A view has become visible. */
  seen(): void;
}

/**
 * Keeps visible trees up to date: changes reported by the local server are read again, and remote platforms
 * are polled.
 */
export function keepTreesLive(trees: Trees, connections: Connections, deployments: Deployments): LiveTrees {
  const wanted = new Map<Tree, Set<string | undefined>>();
  let timer: NodeJS.Timeout | undefined;

  const flush = (): void => {
    timer = undefined;
    for (const [tree, ids] of wanted) {
      // Everything includes each of its rows.
      if (ids.has(undefined)) tree.refresh();
      else for (const id of ids) tree.refresh(id);
    }
    wanted.clear();
  };
  const want = (tree: Tree, id?: string): void => {
    wanted.set(tree, (wanted.get(tree) ?? new Set()).add(id));
    timer ??= setTimeout(flush, TOGETHER_MS);
  };
  const wantAll = (): void => {
    for (const tree of Object.values(trees)) want(tree);
  };

  const isReadyAndRemote = ({ place, state }: PlatformConnection) =>
    place === 'remote' && state.status === 'ready';
  const pollings = [
    new Polling(trees.deployments, () => connections.remotes.some(isReadyAndRemote)),
    ...[trees.assistants, trees.threads, trees.traces].map(
      (tree) => new Polling(tree, () => isReadyAndRemote(deployments.connection)),
    ),
  ];
  const speedUp = () => {
    for (const polling of pollings) polling.speedUp();
  };

  const follow = (change: Change): void => {
    if (change.resource === 'deployment' || change.resource === 'revision') want(trees.deployments);
    // The other trees show another platform.
    if (deployments.connection !== connections.local) return;
    switch (change.resource) {
      case 'assistant':
        want(trees.assistants);
        break;
      case 'thread':
      case 'run':
        // A thread may have moved to another group: the groups are read again, unfolded rows by their ids.
        want(trees.threads);
        break;
      case 'project':
      case 'job':
      case 'dataset':
      case 'example':
        want(trees.traces);
        break;
      case 'trace':
      case 'feedback': {
        const project = `project:${change.session_id}`;
        want(trees.traces, trees.traces.find(project) === undefined ? undefined : project);
        break;
      }
    }
  };

  const aging = setInterval(() => {
    trees.threads.refresh();
    trees.traces.refresh();
  }, AGING_MS);

  let shown = deployments.connection;
  const subscriptions = vscode.Disposable.from(
    ...pollings,
    connections.local.onDidChange((changes) => changes.forEach(follow)),
    connections.onDidChange((connection) => {
      if (connection === deployments.connection) wantAll();
      else want(trees.deployments);
      speedUp();
    }),
    deployments.onDidChange(() => {
      want(trees.deployments);
      want(trees.assistants);
      want(trees.threads);
      if (shown === deployments.connection) return;
      shown = deployments.connection;
      want(trees.traces);
      speedUp();
    }),
    new vscode.Disposable(() => {
      clearTimeout(timer);
      clearInterval(aging);
    }),
  );
  return { seen: speedUp, dispose: () => subscriptions.dispose() };
}
