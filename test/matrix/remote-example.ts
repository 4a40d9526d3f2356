import { Client } from '../../src/client/client.ts';
import { localConnection } from '../../src/client/connection.ts';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { waitForRevision } from '../../src/client/wait-for-revision.ts';
import { RIGHTS } from '../../src/contract/endpoint.ts';
import { exampleFiles } from '../support/control-plane/example-files.ts';
import { gitRepository } from '../support/control-plane/git-repository.ts';
import { type ServerProcess, serverProcess } from '../support/control-plane/server-process.ts';
import { exampleFolder } from '../support/example.ts';
import { type FaultProxy, faultProxy } from '../support/fault-proxy.ts';

/** A remote platform to which the example is deployed, in a workspace that requests must name. */
export interface RemoteExample extends AsyncDisposable {
  readonly server: ServerProcess;
  /** In front of the platform and its control plane, which is below `/api-host`. */
  readonly gateway: FaultProxy;
  /** In front of the deployment. */
  readonly agents: FaultProxy;
  /** Opens two workspaces: the usual one, and one called Team, which has the example. */
  readonly apiKey: string;
  /** A client of the workspace Team and its deployment, past the gateway. */
  readonly client: Client;
}

/** Deploys `docs-agent` from a repository. */
export async function remoteExample(): Promise<RemoteExample> {
  const parts = new AsyncDisposableStack();
  try {
    const server = parts.use(await serverProcess());
    const [usual] = await server.client.identity.listWorkspaces();
    const team = await server.client.identity.createWorkspace({ body: { display_name: 'Team' } });
    const { key: apiKey } = await server.client.identity.createKey({
      body: { description: 'matrix', workspaces: [usual?.id ?? '', team.id], rights: [...RIGHTS] },
    });
    const dispatcher = createDispatcher({});
    parts.defer(() => dispatcher.destroy());
    const client = new Client({
      connection: {
        ...localConnection({ baseUrl: server.baseUrl, apiKey }),
        credentials: { apiKey, tenantId: team.id },
      },
      dispatcher,
    });
    const url = await deploy(client);
    const agents = parts.use(await faultProxy(url, { serves: 'agent-server' }));
    const gateway = parts.use(
      await faultProxy(server.baseUrl, { rewrite: (text) => text.replaceAll(url, agents.url) }),
    );
    const all = parts.move();
    return {
      server,
      gateway,
      agents,
      apiKey,
      client: client.withDeployment(url),
      [Symbol.asyncDispose]: () => all.disposeAsync(),
    };
  } catch (error) {
    await parts.disposeAsync();
    throw error;
  }
}

/** Deploys the example. @returns the address of its agent server */
async function deploy(client: Client): Promise<string> {
  await using repository = await gitRepository();
  // The example's packages are already installed.
  const installed = `${await exampleFolder('docs-agent')}/node_modules`;
  const install = `import { symlink } from 'node:fs/promises';
await symlink(${JSON.stringify(installed)}, 'node_modules', 'junction');
`;
  const example = {
    ...(await exampleFiles('examples/docs-agent')),
    'install.mjs': install,
    'package.json': JSON.stringify({
      name: 'docs-agent',
      type: 'module',
      scripts: { install: 'node install.mjs' },
    }),
    'package-lock.json': JSON.stringify({ lockfileVersion: 3, packages: { '': { name: 'docs-agent' } } }),
  };
  const below = (folder: string, files: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]));
  await repository.push({
    ...below('examples/docs-agent', example),
    ...below('docs', await exampleFiles('docs')),
  });
  const made = await client.deployments.create({
    body: {
      name: 'docs-agent',
      source: 'github',
      source_config: { repo_url: repository.url, deployment_type: 'dev', build_on_push: false },
      source_revision_config: {
        repo_ref: 'main',
        platform_config_path: 'examples/docs-agent/langgraph.json',
      },
      secrets: [],
    },
  });
  const deployment_id = made.id;
  await waitForRevision(client.revisions, { deployment_id, revision_id: made.latest_revision_id ?? '' });
  const { source_config } = await client.deployments.get({ params: { deployment_id } });
  return source_config.custom_url ?? '';
}
