import type { Access } from '../../src/contract/endpoint.ts';
import { RIGHTS } from '../../src/contract/endpoint.ts';
import type { Grant } from '../../src/server/http/grant.ts';

/** Endpoints that every key may call, whatever its rights. */
export const ANY_KEY: Access = { credentials: 'api-key', right: 'any' };

/** A grant of all rights. */
export const EVERYTHING: Grant = { rights: RIGHTS };
