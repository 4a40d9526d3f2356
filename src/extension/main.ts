import { type ExtensionContext, l10n, workspace } from 'vscode';
import { registerCommands } from './activation/commands.ts';
import { keepContextKeys } from './activation/context-keys.ts';
import { prepareDeploying } from './activation/deploying.ts';
import { offerDocuments } from './activation/documents.ts';
import { offerPanels } from './activation/panels.ts';
import { makeServices } from './activation/services.ts';
import { launchersFolderOf, offerInTerminals } from './activation/terminal-path.ts';
import { makeTrees } from './activation/trees.ts';
import { reportUnresponsiveServer } from './activation/unresponsive-server.ts';
import { offerLanguageModelTools } from './coding-agents/language-model-tools.ts';
import { McpServers } from './coding-agents/mcp-servers.ts';
import { tracePrograms } from './deployments/traced-programs.ts';
import { LanguageSupport } from './language/language-support.ts';
import { NewProjects } from './projects/new-projects.ts';
import type { Trees } from './views/live-refresh.ts';
import { StatusBar } from './views/status-bar.ts';

/** The extension's API, for tests. */
export interface AgentHarborApi {
  readonly trees: Trees;
}

/**
 * Called by VS Code when the extension is first needed. It creates and registers the parts. Most modules are
 * loaded, and processes started, only when they are needed.
 */
export function activate(context: ExtensionContext): AgentHarborApi {
  const services = makeServices(context, () => Object.values(trees).some(({ isVisible }) => isVisible));
  const { configs, connections, deployments, folderDeployments, errors, log } = services;
  const terminals = context.environmentVariableCollection;
  terminals.description = l10n.t(
    'Adds the agent-harbor command to PATH and, with the setting agentHarbor.tracePrograms, sends the traces of programs to the local platform.',
  );
  // VS Code keeps the variables that an earlier window has set.
  terminals.clear();
  const trees = makeTrees(context, services);
  const editable = offerDocuments(context, services);
  const panels = offerPanels(context, services);
  const deploying = prepareDeploying(context, services, trees);
  const version = String(context.extension.packageJSON.version);
  const templates = context.asAbsolutePath('dist/templates');
  const newProjects = new NewProjects({
    configs,
    deployments: folderDeployments,
    installer: services.packageInstaller,
    openRunPanel: panels.openRunPanel,
    memento: context.globalState,
    errors,
  });
  context.subscriptions.push(
    newProjects,
    keepContextKeys(configs, connections, deployments, services.autoStart),
    tracePrograms(connections.local, terminals),
    reportUnresponsiveServer(connections.local),
    new McpServers({
      configs,
      version,
      cli: context.asAbsolutePath('dist/cli.js'),
      dataDirectory: () => workspace.getConfiguration('agentHarbor').get('dataDirectory', ''),
    }),
    offerLanguageModelTools(deployments),
    new StatusBar({ configs, connections, deployments, installer: services.packageInstaller }),
    new LanguageSupport({ context, configs, deployments: folderDeployments, errors, log }),
    registerCommands(
      {
        ...services,
        ...panels,
        trees,
        editable,
        deploying,
        newProjects,
        templates,
        extensionId: context.extension.id,
        bundles: context.asAbsolutePath('dist'),
        launchers: launchersFolderOf(context),
        skill: context.asAbsolutePath('skills/agent-harbor/SKILL.md'),
        version,
      },
      errors,
    ),
  );
  offerInTerminals(context).catch((error) => errors.log(error, 'offer agent-harbor in terminals'));
  return { trees };
}
