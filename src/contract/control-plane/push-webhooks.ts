import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { Uuid } from '../fields.ts';

const params = z.object({ deployment_id: Uuid });

/** Agent Harbor only: how a code host announces pushes, for deployments with `build_on_push`. */
export const pushWebhooks = {
  get: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/harbor/deployments/{deployment_id}/push-webhook',
    summary: 'Get the webhook to add to the repository of a deployment: its URL and secret',
    credentials: 'api-key',
    right: 'deploy',
    params,
    responses: { 200: z.looseObject({ url: z.string(), secret: z.string() }) },
  }),
  /** GitHub's form: `X-GitHub-Event`, and `X-Hub-Signature-256` over the body. */
  receive: endpoint({
    kind: 'raw',
    method: 'POST',
    path: '/harbor/deployments/{deployment_id}/pushed',
    summary: 'Receive a push event of a code host, signed with the secret of the webhook',
    credentials: 'presigned',
    contentType: 'application/json',
    params,
  }),
};
