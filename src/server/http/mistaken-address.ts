import { HttpError } from './errors.ts';

const AGENT_PATHS = /^\/(?:assistants|threads|store|runs\/(?:stream|wait|crons))(?:[/?]|$)/;
const PLATFORM_PATHS =
  /^(?:\/api\/v\d)?\/(?:sessions|datasets|examples|feedback|purge|runs\/(?:multipart|query))(?:[/?]|$)/;

/**
 * Explains to a client that it uses the platform's URL instead of a deployment's, or vice versa.
 * @param here the kind of address at which the request arrived.
 * @throws HttpError 404 for paths that only the other kind has.
 */
export function refuseMistakenAddress(here: 'platform' | 'deployment', url: string): void {
  if (here === 'platform' && AGENT_PATHS.test(url)) {
    throw new HttpError(
      404,
      'Not Found: this is the URL of the platform. Assistants, threads and runs are at the URL of a deployment.',
    );
  }
  if (here === 'deployment' && PLATFORM_PATHS.test(url)) {
    throw new HttpError(
      404,
      'Not Found: this is the URL of a deployment. Traces, datasets and feedback are at the URL of the platform.',
    );
  }
}
