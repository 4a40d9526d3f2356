/**
 * Identifies a deployment across restarts: in an open folder by the path of its langgraph.json, on a platform
 * by connection and ID. An Agent Server connection has one deployment, without an ID.
 */
export type DeploymentPlace =
  | { readonly in: 'folder'; readonly configPath: string }
  | { readonly in: 'platform'; readonly connectionId: string; readonly deploymentId: string | undefined };

/** No file path begins like this. */
const PREFIX = 'platform:';

/** The key of a deployment on a platform; for an Agent Server connection without an ID. */
export function keyOnPlatform(connectionId: string, deploymentId: string | undefined): string {
  return `${PREFIX}${connectionId}/${deploymentId ?? ''}`;
}

/** The deployment that a key identifies. */
export function placeOf(key: string): DeploymentPlace {
  if (!key.startsWith(PREFIX)) return { in: 'folder', configPath: key };
  const [connectionId = '', deploymentId = ''] = key.slice(PREFIX.length).split('/');
  return { in: 'platform', connectionId, deploymentId: deploymentId || undefined };
}
