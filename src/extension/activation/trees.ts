import * as vscode from 'vscode';
import { EXAMPLE_SCHEME } from '../datasets/example-address.ts';
import { AssistantsSource } from '../views/assistants.ts';
import { DeploymentsSource } from '../views/deployments-source.ts';
import { keepTreesLive, type Trees } from '../views/live-refresh.ts';
import { ThreadsSource } from '../views/threads.ts';
import { TracesSource } from '../views/traces-source.ts';
import { Tree } from '../views/tree.ts';
import type { Services } from './services.ts';

/** Creates the views of the sidebar, which connect when they become visible and are kept up to date. */
export function makeTrees({ subscriptions }: vscode.ExtensionContext, services: Services): Trees {
  const { connections, deployments, autoStart, errors } = services;
  const { threadOptions, traceOptions, datasetChoices, queuedDeletions, packageInstaller, setup } = services;
  const onVisible = () => {
    autoStart.onVisible();
    connections.wake();
    live.onVisible();
  };
  const singleSelect = { onVisible };
  const multiSelect = { onVisible, selectsMany: true };
  const sources = {
    deployments: new DeploymentsSource(services),
    assistants: new AssistantsSource(deployments),
    threads: new ThreadsSource(deployments, threadOptions),
    traces: new TracesSource({
      deployments,
      options: traceOptions,
      choices: datasetChoices,
      queued: queuedDeletions,
    }),
  };
  const trees: Trees = {
    deployments: new Tree('agentHarbor.deployments', sources.deployments, errors, singleSelect),
    assistants: new Tree('agentHarbor.assistants', sources.assistants, errors, singleSelect),
    threads: new Tree('agentHarbor.threads', sources.threads, errors, multiSelect),
    traces: new Tree('agentHarbor.traces', sources.traces, errors, multiSelect),
  };
  const live = keepTreesLive(trees, connections, deployments);
  subscriptions.push(
    ...Object.values(trees),
    live,
    vscode.workspace.onDidSaveTextDocument(({ uri }) => {
      if (uri.scheme === EXAMPLE_SCHEME) trees.traces.refresh();
    }),
    queuedDeletions.onDidChange(() => {
      trees.traces.refresh();
      // The views poll soon, because the deletion may be done.
      live.onVisible();
    }),
    packageInstaller.onDidChange(() => trees.deployments.refresh()),
    setup.onDidFinish(() => trees.deployments.refresh()),
    threadOptions.onDidChange(() => trees.threads.refresh()),
    traceOptions.filter.onDidChange(() => trees.traces.refresh()),
    datasetChoices.onDidChange(() => trees.traces.refresh()),
  );
  return trees;
}
