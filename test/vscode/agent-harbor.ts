import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import type { AgentHarborApi } from '../../src/extension/main.ts';
import type { TreeElement } from '../../src/extension/views/tree.ts';
import { clientOf } from '../../src/launcher/client-of.ts';
import { readServerFile } from '../../src/launcher/server-file.ts';
import { eventually } from '../support/wait.ts';

/** The extension in this host, with its own data folder. */
export interface AgentHarbor {
  readonly api: AgentHarborApi;
  readonly dataDir: string;
  /** Starts the server and waits until the open folder is served. @returns a client of its agent server */
  serve(): ReturnType<typeof served>;
  /** Stops the server and removes its data. */
  end(): Promise<void>;
}

export async function agentHarbor(): Promise<AgentHarbor> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'agent-harbor-host-'));
  // Read when the server is first needed, which is after this.
  process.env.AGENT_HARBOR_DATA_DIR = dataDir;
  const extension = vscode.extensions.getExtension<AgentHarborApi>('agent-harbor.agent-harbor');
  if (extension === undefined) throw new Error('The extension is not there.');
  const api = await extension.activate();
  return {
    api,
    dataDir,
    serve: () => served(api, dataDir),
    end: async () => {
      await vscode.commands.executeCommand('agentHarbor.stopServer');
      await rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
}

async function served(api: AgentHarborApi, dataDir: string) {
  await vscode.commands.executeCommand('agentHarbor.startServer');
  await eventually(
    'the graphs',
    () => treeText(api, 'deployments'),
    (text) => /^ {2}docs_agent/m.test(text),
    60_000,
  );
  const file = await readServerFile(dataDir);
  if (file === undefined) throw new Error('There is no server.');
  const client = clientOf({ baseUrl: file.base_url, apiKey: file.api_key }, createDispatcher());
  const [live] = (await client.deployments.list()).resources;
  return client.withDeployment(String(live?.source_config?.custom_url));
}

/** A tree as indented lines, `label · description`, down to a depth. */
export async function treeText(
  api: AgentHarborApi,
  view: keyof AgentHarborApi['trees'],
  depth = 3,
): Promise<string> {
  const tree = api.trees[view];
  const lines: string[] = [];
  const add = async (element: TreeElement | undefined, level: number): Promise<void> => {
    for (const child of await tree.getChildren(element)) {
      const { label, description } = child.getTreeItem();
      const text = [typeof label === 'string' ? label : label?.label, description]
        .filter(Boolean)
        .join(' · ');
      lines.push(`${'  '.repeat(level)}${text}`);
      if (level + 1 < depth && child.getChildren !== undefined) await add(child, level + 1);
    }
  };
  await add(undefined, 0);
  return lines.join('\n');
}
