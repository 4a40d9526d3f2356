/**
 * Thrown when a handler of a project's `auth` has returned something that cannot be applied. The request is
 * refused with 500, and the message is in the logs, because only the project can fix it.
 */
export class HandlerError extends Error {
  override readonly name = 'HandlerError';
}
