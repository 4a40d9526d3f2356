/**
 * Says that a request comes from the project's own code, and for whom: `<token>.<initiator>`, the initiator being JSON
 * (`{run_id?, user?}`) in base64url.
 */
export const IN_PROCESS_HEADER = 'agent-harbor-in-process';

/**
 * Has the same token, a space, and the Host that the client asked: the project's `http.app` has seen the request, which is
 * not the project's own.
 */
export const PASSED_ON_HEADER = 'agent-harbor-passed-on';
