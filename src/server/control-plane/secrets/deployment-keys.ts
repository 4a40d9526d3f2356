import type { Caller } from '../../http/caller.ts';
import type { Grant } from '../../http/grant.ts';
import type { Identity } from '../../identity/identity.ts';
import type { DeploymentRow } from '../data/deployment-store.ts';
import { associatedData } from './associated-data.ts';
import type { SecretBox } from './secret-box.ts';

/** The rights of a deployment's code. They give it no access to other deployments or the machine. */
const RIGHTS: Grant['rights'] = ['trace', 'run', 'sign-in'];

/** The API keys with which the graphs of deployments send traces and request tokens, encrypted in the database. */
export class DeploymentKeys {
  readonly #identity: Identity;
  readonly #box: SecretBox;

  constructor(identity: Identity, box: SecretBox) {
    this.#identity = identity;
    this.#box = box;
  }

  /** Creates the key of a new deployment. @returns the encrypted key, to be stored with the deployment. */
  async create(
    { organizationId, workspaceId }: Caller,
    deployment: { readonly id: string; readonly name: string },
  ): Promise<Uint8Array> {
    const { id: deploymentId } = deployment;
    const key = await this.#identity.createKey({
      organizationId,
      workspaceIds: [workspaceId],
      name: `Deployment ${deploymentId}`,
      // The deployment's project has the same name.
      grant: { rights: RIGHTS, projects: [deployment.name], deploymentId },
    });
    return this.#box.seal(key, associatedData.deploymentKey(deploymentId));
  }

  /** Decrypts a deployment's key. @returns an empty string for a deployment without a key. @throws SecretBoxError */
  read({ id, sealed_key: sealed }: DeploymentRow): string {
    return sealed === null ? '' : this.#box.open(sealed, associatedData.deploymentKey(id));
  }

  async revoke(deploymentId: string): Promise<void> {
    await this.#identity.revokeKeys({ deploymentId });
  }
}
