import type { Dispatcher } from 'undici';
import { z } from 'zod';
import type { BodyInput } from '../contract/endpoint.ts';
import { isLoopback } from '../contract/loopback.ts';
import type { feedback as feedbackEndpoints } from '../contract/tracing/feedback.ts';
import type { Connection } from './connection.ts';
import { readShortText } from './read-body.ts';
import { RequestError } from './request-error.ts';
import { type CallOptions, TRANSPORT_DEFAULTS, Transport } from './transport.ts';

/** A person's feedback on a run: score, value, comment, correction, metadata. */
export type Feedback = BodyInput<typeof feedbackEndpoints.submit>;

/** The answer of Agent Harbor; other platforms do not return an ID. */
const Answer = z.looseObject({ feedback_id: z.uuid() });

/**
 * Sends feedback through the pre-signed address of a `feedback` event. No credentials are sent: the address itself is a
 * credential, so no error names it.
 * @param connection the connection whose agent gave the address; feedback is sent only to its platform and deployment.
 * @returns the id of the feedback, where the platform returns it
 * @throws RequestError
 */
export async function sendPresignedFeedback(
  dispatcher: Dispatcher,
  address: string,
  feedback: Feedback,
  options: CallOptions = {},
  connection?: Connection,
): Promise<string | undefined> {
  const url = URL.canParse(address) ? new URL(address) : null;
  const path = '/feedback/tokens/…';
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new RequestError('This feedback link is not a valid URL.', {
      problem: 'unreadable',
      method: 'POST',
      path,
    });
  }
  if (connection !== undefined && !belongsTo(connection, url)) {
    throw new RequestError(
      `This feedback link points to ${url.origin}, which is neither the platform nor the deployment it came from.`,
      { problem: 'unreadable', method: 'POST', path },
    );
  }
  const transport = new Transport({ ...TRANSPORT_DEFAULTS, dispatcher, credentials: {} });
  return transport.send(
    { method: 'POST', url, path, accept: 'application/json', body: JSON.stringify(feedback), options },
    async (answer) => idIn(await readShortText(answer.body)),
  );
}

/**
 * Whether an address belongs to a connection's platform or deployment. On this machine, these have several
 * ports and names.
 */
function belongsTo({ baseUrl, controlPlaneUrl, deploymentUrl }: Connection, address: URL): boolean {
  return [baseUrl, controlPlaneUrl, deploymentUrl]
    .map((own) => (own === undefined ? null : URL.parse(own)))
    .some(
      (own) => own !== null && (own.origin === address.origin || (isLoopback(own) && isLoopback(address))),
    );
}

function idIn(text: string): string | undefined {
  try {
    return Answer.safeParse(JSON.parse(text)).data?.feedback_id;
  } catch {
    return undefined;
  }
}
