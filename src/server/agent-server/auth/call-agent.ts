import type { Access } from '../../../contract/endpoint.ts';

/** Who may call what only a deployment itself knows: routes of its own app, and what an image answers. */
export const CALL_AGENT: Access = { credentials: 'deployment', right: 'run', auth: 'authenticated' };
