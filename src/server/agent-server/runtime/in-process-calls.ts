import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { IN_PROCESS_HEADER, PASSED_ON_HEADER } from '../../../runtime/protocol/in-process.ts';
import { HttpError } from '../../http/errors.ts';

/** The run on whose behalf the project's code calls, and the user of that run. */
const Initiator = z.object({
  run_id: z.string().optional(),
  user: z
    .object({
      identity: z.string(),
      permissions: z.array(z.string()),
      fields: z.record(z.string(), z.unknown()),
    })
    .optional(),
});
export type Initiator = z.output<typeof Initiator>;

/**
 * In-process calls: requests of a project's own code to its agent server. They carry a token that only the
 * project's processes know.
 */
export class InProcessCalls {
  readonly token = randomBytes(24).toString('base64url');

  /** Headers that mark a request of the server itself, such as a webhook, as an in-process call. */
  headersFor(initiator: Initiator): Record<string, string> {
    const packed = Buffer.from(JSON.stringify(initiator)).toString('base64url');
    return { [IN_PROCESS_HEADER]: `${this.token}.${packed}` };
  }

  /** Whether a request claims to be an in-process call; its token is not checked. */
  claims({ headers }: IncomingMessage): boolean {
    return headers[IN_PROCESS_HEADER] !== undefined;
  }

  /**
   * Reads the initiator of an in-process call, and removes the header with the token.
   * @returns undefined for any other request.
   * @throws HttpError 401 when the token is not the project's.
   */
  takeInitiator({ headers }: IncomingMessage): Initiator | undefined {
    const presented = headers[IN_PROCESS_HEADER];
    if (typeof presented !== 'string') return undefined;
    delete headers[IN_PROCESS_HEADER];
    const [token = '', initiator = ''] = presented.split('.');
    if (!isSame(token, this.token)) throw new HttpError(401, `${IN_PROCESS_HEADER} is reserved for graphs.`);
    return Initiator.parse(JSON.parse(Buffer.from(initiator, 'base64url').toString()));
  }

  /**
   * Removes the header with which the project's `http.app` passes a request on to the server, and restores
   * the Host header that the client sent.
   * @returns whether the app passed the request on.
   */
  takePassedOn({ headers }: IncomingMessage): boolean {
    const presented = headers[PASSED_ON_HEADER];
    delete headers[PASSED_ON_HEADER];
    if (typeof presented !== 'string') return false;
    const [token = '', host = ''] = presented.split(' ', 2);
    if (!isSame(token, this.token)) return false;
    if (host !== '') headers.host = host;
    return true;
  }
}

function isSame(presented: string, known: string): boolean {
  const [one, other] = [Buffer.from(presented), Buffer.from(known)];
  return one.length === other.length && timingSafeEqual(one, other);
}
