import type { DeploymentRuntime } from '../../runtimes/deployment-runtime.ts';
import type { AgentServerOptions } from '../agent-server-options.ts';
import type { InProcessCalls } from '../runtime/in-process-calls.ts';
import type { OwnAddress } from '../runtime/own-address.ts';
import { WebhookOutbox } from '../webhooks/webhook-outbox.ts';
import { webhookSettings } from './settings.ts';

/** Creates the part that delivers the webhooks of a deployment's runs. */
export function makeWebhooks(
  { deployment, host, storage, log }: AgentServerOptions,
  parts: { runtime: DeploymentRuntime; address: OwnAddress; inProcess: InProcessCalls },
): WebhookOutbox {
  const { runtime, address, inProcess } = parts;
  return new WebhookOutbox({
    db: storage.db,
    deploymentId: deployment.id,
    log,
    settings: () => webhookSettings(runtime),
    ownPorts: () => host.ownPorts(),
    own: (path, initiator) =>
      address.url === undefined
        ? undefined
        : { address: new URL(path, address.url), headers: inProcess.headersFor(initiator) },
  });
}
