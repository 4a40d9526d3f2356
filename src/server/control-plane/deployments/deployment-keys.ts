import type { Caller } from '../../http/caller.ts';
import type { Identity } from '../../identity/identity.ts';
import { sealedPlaces } from '../secrets/sealed-places.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { DeploymentRow } from './deployment-store.ts';
import { keyName } from './key-name.ts';

/** The keys that graphs of deployments send traces and request tokens with, encrypted at rest. */
export class DeploymentKeys {
  readonly #identity: Identity;
  readonly #box: SecretBox;

  constructor(identity: Identity, box: SecretBox) {
    this.#identity = identity;
    this.#box = box;
  }

  /** @returns the key as it is stored with the deployment. */
  async create({ organizationId, workspaceId }: Caller, deploymentId: string): Promise<Uint8Array> {
    const name = keyName(deploymentId);
    const key = await this.#identity.createKey({ organizationId, workspaceIds: [workspaceId], name });
    return this.#box.seal(key, sealedPlaces.deploymentKey(deploymentId));
  }

  /** @returns an empty text for a deployment without a key. @throws SecretBoxError */
  read({ id, sealed_key: sealed }: DeploymentRow): string {
    return sealed === null ? '' : this.#box.open(sealed, sealedPlaces.deploymentKey(id));
  }

  async revoke(deploymentId: string): Promise<void> {
    await this.#identity.revokeKeysNamed(keyName(deploymentId));
  }
}
