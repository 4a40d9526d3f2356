import type { Access } from '../../../contract/endpoint.ts';

/**
 * The access that is required for routes that only the deployment itself knows: those of its own app, or of its image.
 */
export const CALL_AGENT: Access = { credentials: 'deployment', right: 'run', auth: 'authenticated' };
