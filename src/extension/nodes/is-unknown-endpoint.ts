/**
 * Whether a platform lacks this endpoint: Agent Harbor names what it did not find.
 * @param ids IDs in the request
 */
export function isUnknownEndpoint(error: unknown, ids: readonly (string | undefined)[]): boolean {
  if (!(error instanceof Error) || !('status' in error)) return false;
  const { status, message } = error;
  const isNamed = ids.some((id) => id !== undefined && message.includes(id));
  return (status === 404 || status === 405) && !isNamed;
}
