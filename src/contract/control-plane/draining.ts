import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { Uuid } from '../fields.ts';
import { Revision } from './revisions.ts';

/** Agent Harbor only: draining, in which runs finish on an earlier revision (docs/control-plane.md#draining). */
export const draining = {
  end: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/harbor/deployments/{deployment_id}/revisions/{revision_id}/end-draining',
    summary: 'End the draining of a revision: its runs continue on the live revision',
    credentials: 'api-key',
    right: 'deploy',
    params: z.object({ deployment_id: Uuid, revision_id: Uuid }),
    responses: { 200: Revision },
  }),
};
