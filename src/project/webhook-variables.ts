/** A reference to an environment variable in a value of `webhooks.headers`. */
export const WEBHOOK_VARIABLE = /\$\{\{\s*env\.(\w+)\s*\}\}/g;

/** The default of `webhooks.env_prefix`. */
export const DEFAULT_WEBHOOK_PREFIX = 'LG_WEBHOOK_';

/** Whether `webhooks.headers` may use a variable: others could be secrets that are not meant for webhooks. */
export function isWebhookVariable(name: string, prefix: string): boolean {
  return name.startsWith(prefix);
}
