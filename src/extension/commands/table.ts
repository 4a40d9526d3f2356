import * as vscode from 'vscode';
import type { ErrorReporter } from '../errors.ts';
import { addConnection } from './add-connection.ts';
import type { Command, CommandParts } from './command.ts';
import { copyId } from './copy-id.ts';
import { copyUrl } from './copy-url.ts';
import { createConfig } from './create-config.ts';
import { deleteDeployment } from './delete-deployment.ts';
import { deleteThread } from './delete-thread.ts';
import { deploy } from './deploy.ts';
import { deployAgain } from './deploy-again.ts';
import { installPackages } from './install-packages.ts';
import { loadMore } from './load-more.ts';
import { openConfig } from './open-config.ts';
import { openGraphSource } from './open-graph-source.ts';
import { openSpan } from './open-span.ts';
import { openState } from './open-state.ts';
import { openTrace } from './open-trace.ts';
import { reconnect } from './reconnect.ts';
import { redeploy } from './redeploy.ts';
import { refresh } from './refresh.ts';
import { reloadGraphs } from './reload-graphs.ts';
import { removeConnection } from './remove-connection.ts';
import { restartServer } from './restart-server.ts';
import { rollBack } from './roll-back.ts';
import { run } from './run.ts';
import { runSelection } from './run-selection.ts';
import { selectDeployment } from './select-deployment.ts';
import { showActions } from './show-actions.ts';
import { showBuildLog } from './show-build-log.ts';
import { showDeploymentLog } from './show-deployment-log.ts';
import { showLog } from './show-log.ts';
import { showTrace } from './show-trace.ts';
import { signIn } from './sign-in.ts';
import { signOut } from './sign-out.ts';
import { startServer } from './start-server.ts';
import { stopRevision } from './stop-revision.ts';
import { stopServer } from './stop-server.ts';

/** Every command by its id behind `agentHarbor.`; package.json contributes these and no others. */
export const commandTable: Readonly<Record<string, Command>> = {
  addConnection,
  copyId,
  copyUrl,
  createConfig,
  deleteDeployment,
  deleteThread,
  installPackages,
  deploy,
  deployAgain,
  loadMore,
  openConfig,
  openGraphSource,
  openSpan,
  openState,
  openTrace,
  reconnect,
  redeploy,
  refresh,
  reloadGraphs,
  removeConnection,
  restartServer,
  rollBack,
  run,
  runSelection,
  selectDeployment,
  showActions,
  showBuildLog,
  showDeploymentLog,
  showLog,
  showTrace,
  signIn,
  signOut,
  startServer,
  stopRevision,
  stopServer,
};

/** Registers every command; whatever one throws is reported. */
export function registerCommands(parts: CommandParts, errors: ErrorReporter): vscode.Disposable {
  const registrations = Object.entries(commandTable).map(([name, command]) =>
    vscode.commands.registerCommand(`agentHarbor.${name}`, async (...given: unknown[]) => {
      try {
        await command(parts, ...given);
      } catch (error) {
        // Not awaited: who called need not wait until the message is answered.
        void errors.report(error, name);
      }
    }),
  );
  return vscode.Disposable.from(...registrations);
}
