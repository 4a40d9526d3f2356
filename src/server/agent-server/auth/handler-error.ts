/**
 * A handler of a project's `auth` answered what cannot be applied. The request is refused with 500, and the message is in
 * the logs, because only the project can mend it.
 */
export class HandlerError extends Error {
  override readonly name = 'HandlerError';
}
