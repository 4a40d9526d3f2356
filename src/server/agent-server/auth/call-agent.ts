import type { Access } from '../../../contract/endpoint.ts';

/** Access to endpoints that only the deployment itself knows: routes of its own app, and those of an image. */
export const CALL_AGENT: Access = { credentials: 'deployment', right: 'run', auth: 'authenticated' };
