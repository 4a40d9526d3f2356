import * as vscode from 'vscode';
import type { Change } from '../../contract/harbor.ts';
import type { PlatformConnection } from '../connections/connection.ts';
import type { WorkspaceDeployments } from '../deployments/workspace-deployments.ts';
import type { Tree } from './tree.ts';

export interface Trees {
  readonly deployments: Tree;
  readonly assistants: Tree;
  readonly threads: Tree;
  readonly traces: Tree;
}

/** Changes that come this close together are shown together. */
const togetherMs = 150;
/** Rows say how long ago things were. */
const agingMs = 60_000;

/** Keeps the trees true while they are looked at: what the server says has changed is read again, and little else. */
export function keepTreesLive(
  trees: Trees,
  connection: PlatformConnection,
  deployments: WorkspaceDeployments,
): vscode.Disposable {
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
    timer ??= setTimeout(flush, togetherMs);
  };
  const wantAll = (): void => {
    for (const tree of Object.values(trees)) want(tree);
  };

  const follow = (change: Change): void => {
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
  }, agingMs);

  return vscode.Disposable.from(
    connection.onDidChange((changes) => changes.forEach(follow)),
    connection.onDidChangeState(wantAll),
    deployments.onDidChange(() => {
      want(trees.deployments);
      want(trees.assistants);
      want(trees.threads);
    }),
    new vscode.Disposable(() => {
      clearTimeout(timer);
      clearInterval(aging);
    }),
  );
}
