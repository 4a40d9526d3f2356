import * as vscode from 'vscode';
import type { Change } from '../../contract/harbor.ts';
import type { PlatformConnection } from '../connections/connection.ts';
import type { Connections } from '../connections/connections.ts';
import type { Deployments } from '../deployments/deployments.ts';
import { GatheredRefresh } from './gathered-refresh.ts';
import { Polling } from './polling.ts';
import type { Tree } from './tree.ts';

/** The trees of the sidebar. */
export interface Trees {
  readonly deployments: Tree;
  readonly assistants: Tree;
  readonly threads: Tree;
  readonly traces: Tree;
}

/** How often rows are refreshed because they show relative times. */
const AGING_MS = 60_000;

/** The trees of the sidebar, while they are kept up to date. */
interface LiveTrees extends vscode.Disposable {
  /** Polls soon, because a view has become visible. */
  onVisible(): void;
}

/**
 * Keeps visible trees up to date: rows are read again when a server announces changes. Remote platforms are
 * also polled, because they may announce no changes, or lose some.
 */
export function keepTreesLive(trees: Trees, connections: Connections, deployments: Deployments): LiveTrees {
  const gathered = new GatheredRefresh();
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

  const follow = (connection: PlatformConnection, change: Change): void => {
    const [tree, id] = placeOf(change, trees);
    // The Deployments view shows all platforms; the other trees may show another platform.
    if (tree === trees.deployments || deployments.connection === connection) gathered.want(tree, id);
  };

  const aging = setInterval(() => {
    trees.threads.refresh();
    trees.traces.refresh();
  }, AGING_MS);

  let shown = deployments.connection;
  const subscriptions = vscode.Disposable.from(
    ...pollings,
    connections.onDidAnnounce(({ connection, changes }) => {
      for (const change of changes) follow(connection, change);
    }),
    connections.onDidChange((connection) => {
      if (connection === deployments.connection) for (const tree of Object.values(trees)) gathered.want(tree);
      else gathered.want(trees.deployments);
      speedUp();
    }),
    deployments.onDidChange(() => {
      gathered.want(trees.deployments);
      gathered.want(trees.assistants);
      gathered.want(trees.threads);
      if (shown === deployments.connection) return;
      shown = deployments.connection;
      gathered.want(trees.traces);
      speedUp();
    }),
    gathered,
    new vscode.Disposable(() => clearInterval(aging)),
  );
  return { onVisible: speedUp, dispose: () => subscriptions.dispose() };
}

/** The tree that shows a changed resource, and the ID of the row to refresh, if it is known. */
function placeOf(change: Change, trees: Trees): readonly [tree: Tree, id?: string] {
  switch (change.resource) {
    case 'deployment':
    case 'revision':
      return [trees.deployments];
    case 'assistant':
      return [trees.assistants];
    case 'thread':
    case 'run':
      // A thread may have moved to another group, so all groups are read again, with the rows that are
      // expanded.
      return [trees.threads];
    case 'project':
    case 'job':
    case 'dataset':
    case 'example':
      return [trees.traces];
    case 'trace':
    case 'feedback': {
      const project = `project:${change.session_id}`;
      return trees.traces.find(project) === undefined ? [trees.traces] : [trees.traces, project];
    }
  }
}
