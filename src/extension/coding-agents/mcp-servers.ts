import path from 'node:path';
import * as vscode from 'vscode';
import type { Executable } from '../../launcher/executable.ts';
import type { Config, FolderConfigs } from '../deployments/configs.ts';

interface McpServersOptions {
  readonly configs: FolderConfigs;
  /** The command line's bundle. */
  readonly cli: string;
  readonly version: string;
  /** The data folder of the local server; empty for the default. */
  readonly dataDirectory: () => string;
}

const SETTING = 'agentHarbor.codingAgents';

/**
 * Offers the tools for coding agents to VS Code's chats: an MCP server per `langgraph.json`, which VS Code
 * starts when a chat needs it. Each MCP server is a separate process that finds the local server itself, so
 * no key or port is passed to it.
 */
export class McpServers implements vscode.McpServerDefinitionProvider, vscode.Disposable {
  readonly #options: McpServersOptions;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscriptions: vscode.Disposable;

  constructor(options: McpServersOptions) {
    this.#options = options;
    const changed = () => this.#changed.fire();
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      options.configs.onDidChange(changed),
      vscode.workspace.onDidGrantWorkspaceTrust(changed),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('agentHarbor')) changed();
      }),
      vscode.lm.registerMcpServerDefinitionProvider('agentHarbor', this),
    );
  }

  get onDidChangeMcpServerDefinitions(): vscode.Event<void> {
    return this.#changed.event;
  }

  async provideMcpServerDefinitions(): Promise<vscode.McpStdioServerDefinition[]> {
    const allowed = vscode.workspace.getConfiguration().get<string>(SETTING, 'runs');
    if (!vscode.workspace.isTrusted || allowed === 'off') return [];
    const configs = await this.#options.configs.list();
    // This module is loaded only when a chat asks for MCP servers.
    const { thisExecutable } = await import('../../launcher/executable.ts');
    const executable = thisExecutable();
    return configs.map((config) => this.#definitionOf(config, executable, allowed, configs.length > 1));
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  #definitionOf(
    { uri, name }: Config,
    { command, environment }: Executable,
    allowed: string,
    isOneOfSeveral: boolean,
  ) {
    const { cli, version, dataDirectory } = this.#options;
    const dataDir = dataDirectory();
    const args = [cli, 'mcp', '--config', uri.fsPath, '--allow', allowed];
    const definition = new vscode.McpStdioServerDefinition(
      isOneOfSeveral ? `Agent Harbor: ${name}` : 'Agent Harbor',
      command,
      dataDir === '' ? args : [...args, '--data-dir', dataDir],
      { ...environment },
      version,
    );
    definition.cwd = vscode.Uri.file(path.dirname(uri.fsPath));
    return definition;
  }
}
