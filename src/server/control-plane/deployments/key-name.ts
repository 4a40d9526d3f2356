const PREFIX = 'Deployment ';

/** The name of the API key of a deployment's graphs. */
export function keyName(deploymentId: string): string {
  return `${PREFIX}${deploymentId}`;
}

/** The deployment of a key with this name. */
export function deploymentOfKey(name: string): string | undefined {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : undefined;
}
