import { Client as LangGraphClient } from '@langchain/langgraph-sdk';
import { waitForRevision } from '../../src/client/wait-for-revision.ts';
import type { Revision } from '../../src/contract/control-plane/revisions.ts';
import type { Isolation } from '../../src/contract/control-plane/sources.ts';
import type { ServerProcess } from '../../test/support/control-plane/server-process.ts';

export interface Deployed {
  readonly id: string;
  readonly url: string;
  readonly sdk: LangGraphClient;
  /**
   * Deploys the repository's current contents.
   * @returns milliseconds from the request until the server reported DEPLOYED.
   */
  redeploy(): Promise<number>;
}

/** Deploys a repository's main branch and waits until it is live. */
export async function deploy(
  server: ServerProcess,
  source: { name: string; url: string; configPath?: string; installCommand?: string; isolation?: Isolation },
): Promise<Deployed> {
  const { deployments, revisions } = server.client;
  const created = await deployments.create({
    body: {
      name: source.name,
      source: 'github',
      source_config: {
        repo_url: source.url,
        install_command: source.installCommand,
        isolation: source.isolation,
      },
      source_revision_config: { repo_ref: 'main', platform_config_path: source.configPath },
    },
  });
  const params = { deployment_id: created.id };
  const live = (id: string | null | undefined) =>
    waitForRevision(revisions, { ...params, revision_id: id ?? '' });
  await live(created.latest_revision_id);
  const url = (await deployments.get({ params })).source_config.custom_url ?? '';
  return {
    id: created.id,
    url,
    sdk: new LangGraphClient({ apiUrl: url, apiKey: server.apiKey, callerOptions: { maxRetries: 0 } }),
    redeploy: async () => {
      const began = Date.now();
      const changed = await deployments.update({ params, body: { source_revision_config: {} } });
      return deployedAt(await live(changed.latest_revision_id)) - began;
    },
  };
}

function deployedAt({ status_history: history = [] }: Revision): number {
  return Date.parse(history.find(({ status }) => status === 'DEPLOYED')?.at ?? '');
}
