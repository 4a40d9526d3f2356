import type { pausing as pausingEndpoints } from '../../../contract/control-plane/pausing.ts';
import type { Handlers } from '../../http/router.ts';
import type { Deployments } from '../deployments/deployments.ts';

/** Pauses and resumes the runs of a deployment; 400 for a deployment from an image. */
export function pausingHandlers(deployments: Deployments): Handlers<typeof pausingEndpoints> {
  return {
    pause: ({ caller, params }) => deployments.setPaused(caller, params.deployment_id, true),
    resume: ({ caller, params }) => deployments.setPaused(caller, params.deployment_id, false),
  };
}
