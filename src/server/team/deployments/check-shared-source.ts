import type { DeploymentSource } from '../../../contract/control-plane/sources.ts';
import { badRequest } from '../../http/errors.ts';

/**
 * Refuses sources that not all servers can serve.
 * @param hasObjectStore whether the servers have an object store.
 * @throws HttpError 400
 */
export function checkSharedSource(source: DeploymentSource, hasObjectStore: boolean): void {
  if (!hasObjectStore)
    throw badRequest(
      'This server serves the one agent that it was started for. To deploy to a team, start its servers with --objects.',
    );
  if (source === 'workspace')
    throw badRequest(
      'A folder of one machine cannot be deployed to a team. Upload it with the source "internal_source".',
    );
  if (source === 'external_docker')
    throw badRequest('Images cannot be deployed to a team yet. Deploy the source of the image.');
}
