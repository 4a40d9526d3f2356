import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { jsonOrUndefined } from '../../../process/json-or-undefined.ts';
import type { Caller } from '../../http/caller.ts';
import { forbidden, HttpError } from '../../http/errors.ts';
import type { DeploymentRow, DeploymentStore } from '../data/deployment-store.ts';
import { readRevisionConfig, readSourceConfig } from '../data/deployment-wire.ts';
import type { RevisionStore } from '../data/revision-store.ts';
import type { NewRevisions } from '../revisions/new-revisions.ts';
import { associatedData } from '../secrets/associated-data.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { Deployments } from './deployments.ts';

/** A push event; `after` is the commit to which the branch points now. */
const Push = z.looseObject({
  ref: z.string(),
  after: z.string(),
  deleted: z.boolean().optional(),
  repository: z.looseObject({ default_branch: z.string().optional() }).optional(),
});

export interface PushesOptions {
  readonly deployments: Deployments;
  readonly newRevisions: NewRevisions;
  readonly store: DeploymentStore;
  readonly revisions: RevisionStore;
  readonly box: SecretBox;
  baseUrl(): string;
}

/** Webhooks of code hosts: an authenticated push to a deployment's branch creates a revision. */
export class Pushes {
  readonly #options: PushesOptions;

  constructor(options: PushesOptions) {
    this.#options = options;
  }

  /** The webhook of a deployment; its secret is created on first use. @throws HttpError 404 */
  async getWebhook(caller: Caller, deploymentId: string): Promise<{ url: string; secret: string }> {
    const row = await this.#options.deployments.require(caller, deploymentId);
    return {
      url: `${this.#options.baseUrl()}/harbor/deployments/${row.id}/pushed`,
      secret: this.#secretOf(row) ?? (await this.#makeSecret(row)),
    };
  }

  /**
   * Handles a webhook call.
   * @param body the unparsed body, which is signed.
   * @returns the ID of the new revision, or why there is none.
   * @throws HttpError 403 for a wrong signature, 422 for a body that is not a push event.
   */
  async receive(
    deploymentId: string,
    headers: { readonly event: string | undefined; readonly signature: string | undefined },
    body: string,
  ): Promise<{ revision_id: string } | { ignored: string }> {
    const row = await this.#options.store.get(deploymentId);
    const secret = row === undefined ? undefined : this.#secretOf(row);
    // An unknown deployment and a wrong signature get the same response, to reveal nothing.
    if (row === undefined || secret === undefined || !isSigned(body, headers.signature, secret)) {
      throw forbidden('The signature is not valid. Sign with the webhook secret of this deployment.');
    }
    if (headers.event !== undefined && headers.event !== 'push')
      return { ignored: `a ${headers.event} event` };
    const push = Push.safeParse(jsonOrUndefined(body));
    if (!push.success) throw new HttpError(422, 'The body is not a push event.');
    return this.#handle(row, push.data);
  }

  async #handle(
    row: DeploymentRow,
    push: z.output<typeof Push>,
  ): Promise<{ revision_id: string } | { ignored: string }> {
    if (readSourceConfig(row.source_config).build_on_push !== true)
      return { ignored: 'build_on_push is off' };
    const { repo_ref: wanted } = readRevisionConfig(row.source_revision_config);
    const branch = wanted ?? push.repository?.default_branch;
    if (branch !== undefined && push.ref !== branch && push.ref !== `refs/heads/${branch}`) {
      return { ignored: `a push to ${push.ref}` };
    }
    if (push.deleted === true) return { ignored: 'the branch was deleted' };
    // Code hosts deliver a push again after timeouts, or on request.
    const newest = await this.#options.revisions.findNewestCommit(row.id);
    if (newest?.commit === push.after && !newest.hasFailed) return { ignored: 'already deployed' };
    const revision = await this.#options.newRevisions.addPushed(row.id);
    return { revision_id: revision.id };
  }

  #secretOf(row: DeploymentRow): string | undefined {
    const sealed = row.sealed_webhook_secret;
    return sealed === null ? undefined : this.#options.box.open(sealed, associatedData.webhookSecret(row.id));
  }

  async #makeSecret(row: DeploymentRow): Promise<string> {
    const { store, box } = this.#options;
    const secret = randomBytes(32).toString('base64url');
    await store.initWebhookSecret(row.id, box.seal(secret, associatedData.webhookSecret(row.id)));
    // If another request has stored a secret first, that one is used.
    const now = await store.get(row.id);
    return (now && this.#secretOf(now)) ?? secret;
  }
}

function isSigned(body: string, signature: string | undefined, secret: string): boolean {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const given = Buffer.from(signature ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
