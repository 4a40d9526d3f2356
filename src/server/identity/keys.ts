import { createHash, randomBytes } from 'node:crypto';

/** A new API key: 192 random bits after a prefix that secret scanners can recognize. */
export function newApiKey(): string {
  return `ah_${randomBytes(24).toString('base64url')}`;
}

/** The stored part of a key. A plain hash is enough, because keys are long and random. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** The part of a key that may be shown. */
export function apiKeyPrefix(key: string): string {
  return key.slice(0, 8);
}

const BEARER_PREFIX = 'ahb_';

/** A new bearer token, as random as a key and recognizable by its prefix. */
export function newBearerToken(): string {
  return `${BEARER_PREFIX}${randomBytes(24).toString('base64url')}`;
}

/** Whether a credential is a bearer token rather than a key, judging by its prefix. */
export function isBearerToken(text: string): boolean {
  return text.startsWith(BEARER_PREFIX);
}
