/**
 * Whether a request failed because the platform lacks the endpoint, rather than a thread or checkpoint: Agent Harbor's
 * errors name the ID that was not found.
 * @param ids of the resources in the request; none if the request lists resources
 */
export function isUnknownEndpoint(error: unknown, ids: readonly (string | undefined)[] = []): boolean {
  if (!(error instanceof Error) || !('status' in error)) return false;
  const { status, message } = error;
  const isNamed = ids.some((id) => id !== undefined && message.includes(id));
  return (status === 404 || status === 405) && !isNamed;
}
