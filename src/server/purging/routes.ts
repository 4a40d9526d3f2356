import { purging } from '../../contract/purging.ts';
import type { Router } from '../http/router.ts';
import { type PurgingServices, purgingHandlers } from './purging-handlers.ts';

/** Serves purges and retention, at the root and under `/api/v1`. */
export function mountPurging(router: Router, services: PurgingServices): void {
  router.mount(purging, purgingHandlers(services), ['', '/api/v1']);
}
