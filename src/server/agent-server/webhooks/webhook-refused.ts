/** Thrown for a webhook that is not allowed; the message says why. */
export class WebhookRefusedError extends Error {
  override readonly name = 'WebhookRefusedError';
}

/** @param why a clause, such as `its URL is not valid`. */
export function refusal(why: string): WebhookRefusedError {
  return new WebhookRefusedError(`Webhook not sent: ${why}.`);
}
