import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { IN_PROCESS_HEADER, PASSED_ON_HEADER } from '../../runtime/protocol/in-process.ts';
import { HttpError } from '../http/errors.ts';

/** For whom the project's code makes a call: within a run, and as the user by whom that was asked for. */
const Asker = z.object({
  run_id: z.string().optional(),
  user: z
    .object({
      identity: z.string(),
      permissions: z.array(z.string()),
      fields: z.record(z.string(), z.unknown()),
    })
    .optional(),
});
export type Asker = z.output<typeof Asker>;

/** The calls that a project's own code makes on the agent server it runs in: its processes know a secret that says so. */
export class InProcessCalls {
  readonly token = randomBytes(24).toString('base64url');

  /** Whether it is such a call. */
  isOne({ headers }: IncomingMessage): boolean {
    return headers[IN_PROCESS_HEADER] !== undefined;
  }

  /** Whether the project's own app has seen a request, and passes it on to the server. */
  takePassedOn({ headers }: IncomingMessage): boolean {
    const presented = headers[PASSED_ON_HEADER];
    delete headers[PASSED_ON_HEADER];
    return typeof presented === 'string' && isSame(presented, this.token);
  }

  /** What such a call has, when the server makes it itself. */
  headersOf(asker: Asker): Record<string, string> {
    const packed = Buffer.from(JSON.stringify(asker)).toString('base64url');
    return { [IN_PROCESS_HEADER]: `${this.token}.${packed}` };
  }

  /**
   * Who asks, when it is such a call. The secret leaves the request, so that nobody gets to see it.
   * @returns undefined for any other request.
   * @throws HttpError 401
   */
  take({ headers }: IncomingMessage): Asker | undefined {
    const presented = headers[IN_PROCESS_HEADER];
    if (typeof presented !== 'string') return undefined;
    delete headers[IN_PROCESS_HEADER];
    const [token = '', asker = ''] = presented.split('.');
    if (!isSame(token, this.token)) throw new HttpError(401, `${IN_PROCESS_HEADER} is reserved for graphs.`);
    return Asker.parse(JSON.parse(Buffer.from(asker, 'base64url').toString()));
  }
}

function isSame(presented: string, known: string): boolean {
  const [one, other] = [Buffer.from(presented), Buffer.from(known)];
  return one.length === other.length && timingSafeEqual(one, other);
}
