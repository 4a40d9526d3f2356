/**
 * Marks a request from the project's own code, and names its initiator: `<token>.<initiator>`, where the
 * initiator is JSON (`{run_id?, user?}`) in base64url.
 */
export const IN_PROCESS_HEADER = 'agent-harbor-in-process';

/**
 * Marks a request of a client that the project's `http.app` has passed on. Contains the same token, a space,
 * and the Host that the client sent.
 */
export const PASSED_ON_HEADER = 'agent-harbor-passed-on';
