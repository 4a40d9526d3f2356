import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

/** The attachment that a link leads to. */
interface AttachmentRef {
  readonly kind: 'run' | 'example';
  /** The integer key of the workspace. */
  readonly workspace: number;
  /** The key of the run, or of the example's file. */
  readonly key: number;
  readonly name: string;
}

/** How long a link is valid. */
const LIFETIME_MS = 6 * 3_600_000;

/** The kind, workspace, key and name, and the expiry time in milliseconds since 1970. */
const Payload = z.tuple([z.enum(['run', 'example']), z.number(), z.number(), z.string(), z.number()]);

/**
 * Creates a secret for signing links. Outside of a team, a server uses a new one at every start, which
 * invalidates earlier links.
 */
export function newLinkSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Signs links to attachments, which clients can fetch without a key, like objects in a public bucket. */
export class SignedLinks {
  readonly #secret: string;
  readonly #baseUrl: string;

  constructor(secret: string, baseUrl: string) {
    this.#secret = secret;
    this.#baseUrl = baseUrl;
  }

  /** Creates the address of an attachment, which is valid for six hours. */
  link(attachment: AttachmentRef): string {
    const { kind, workspace, key, name } = attachment;
    const text = JSON.stringify([kind, workspace, key, name, Date.now() + LIFETIME_MS]);
    const payload = Buffer.from(text).toString('base64url');
    return `${this.#baseUrl}/attachments/${payload}.${this.#sign(payload)}`;
  }

  /**
   * Finds the attachment to which a link leads.
   * @param token the last part of the link's path.
   * @returns `undefined` for a token that was signed with another secret, or has expired.
   */
  open(token: string): AttachmentRef | undefined {
    const [payload = '', signature = ''] = token.split('.');
    const expected = Buffer.from(this.#sign(payload));
    const given = Buffer.from(signature);
    if (expected.length !== given.length || !timingSafeEqual(expected, given)) return undefined;
    const [kind, workspace, key, name, expires] = Payload.parse(
      JSON.parse(Buffer.from(payload, 'base64url').toString()),
    );
    return expires < Date.now() ? undefined : { kind, workspace, key, name };
  }

  #sign(payload: string): string {
    return createHmac('sha256', this.#secret).update(payload).digest('base64url');
  }
}
