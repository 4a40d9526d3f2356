import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { IN_PROCESS_HEADER, PASSED_ON_HEADER } from '../../../runtime/protocol/in-process.ts';
import { HttpError } from '../../http/errors.ts';

/** On whose behalf the project's code calls: the run, and its user. */
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

/** Recognizes calls of a project's own code to its agent server, by a secret that only its processes know. */
export class InProcessCalls {
  readonly token = randomBytes(24).toString('base64url');

  /** Whether it is such a call. */
  isOne({ headers }: IncomingMessage): boolean {
    return headers[IN_PROCESS_HEADER] !== undefined;
  }

  /** Whether the project's own app has seen a request, and passes it on to the server. Its Host is then the client's again. */
  takePassedOn({ headers }: IncomingMessage): boolean {
    const presented = headers[PASSED_ON_HEADER];
    delete headers[PASSED_ON_HEADER];
    if (typeof presented !== 'string') return false;
    const [token = '', host = ''] = presented.split(' ', 2);
    if (!isSame(token, this.token)) return false;
    if (host !== '') headers.host = host;
    return true;
  }

  /** The headers of such a call, for calls of the server itself. */
  headersOf(initiator: Initiator): Record<string, string> {
    const packed = Buffer.from(JSON.stringify(initiator)).toString('base64url');
    return { [IN_PROCESS_HEADER]: `${this.token}.${packed}` };
  }

  /**
   * The caller of such a call. The secret is removed from the request.
   * @returns undefined for any other request.
   * @throws HttpError 401
   */
  take({ headers }: IncomingMessage): Initiator | undefined {
    const presented = headers[IN_PROCESS_HEADER];
    if (typeof presented !== 'string') return undefined;
    delete headers[IN_PROCESS_HEADER];
    const [token = '', initiator = ''] = presented.split('.');
    if (!isSame(token, this.token)) throw new HttpError(401, `${IN_PROCESS_HEADER} is reserved for graphs.`);
    return Initiator.parse(JSON.parse(Buffer.from(initiator, 'base64url').toString()));
  }
}

function isSame(presented: string, known: string): boolean {
  const [one, other] = [Buffer.from(presented), Buffer.from(known)];
  return one.length === other.length && timingSafeEqual(one, other);
}
