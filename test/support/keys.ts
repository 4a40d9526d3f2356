import type { Access } from '../../src/contract/endpoint.ts';
import { RIGHTS } from '../../src/contract/endpoint.ts';
import type { Grant } from '../../src/server/http/grant.ts';

/** Endpoints that every key may call, whatever its rights. */
export const ANY_KEY: Access = { credentials: 'api-key', right: 'any' };

/** What a key may have. */
export const EVERYTHING: Grant = { rights: RIGHTS };
