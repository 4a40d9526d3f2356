/**
 * The persistent key of a deployment. One of an open folder is known by the path of its langgraph.json, one of a platform by
 * its connection and its id; a bare agent server is its connection's only deployment.
 */
export type DeploymentPlace =
  | { readonly in: 'workspace'; readonly configPath: string }
  | { readonly in: 'platform'; readonly connectionId: string; readonly deploymentId: string | undefined };

/** No path of a file begins with it. */
const PREFIX = 'platform:';

export function keyOnPlatform(connectionId: string, deploymentId: string | undefined): string {
  return `${PREFIX}${connectionId}/${deploymentId ?? ''}`;
}

export function placeOf(key: string): DeploymentPlace {
  if (!key.startsWith(PREFIX)) return { in: 'workspace', configPath: key };
  const [connectionId = '', deploymentId = ''] = key.slice(PREFIX.length).split('/');
  return { in: 'platform', connectionId, deploymentId: deploymentId || undefined };
}
