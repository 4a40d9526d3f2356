import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { Uuid } from '../fields.ts';
import { Deployment } from './deployments.ts';

const change = (name: 'pause' | 'resume', summary: string) =>
  endpoint({
    kind: 'json',
    method: 'POST',
    path: `/harbor/deployments/{deployment_id}/${name}`,
    summary,
    credentials: 'api-key',
    right: 'deploy',
    params: z.object({ deployment_id: Uuid }),
    responses: { 200: Deployment },
  });

/** Agent Harbor only: runs of a paused deployment wait, for example until a service that it needs is repaired. */
export const pausing = {
  pause: change('pause', 'Pause a deployment: accepted runs wait until it is resumed'),
  resume: change('resume', 'Start the runs of a paused deployment'),
};
