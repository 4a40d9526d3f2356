const PREFIX = 'Deployment ';

/** What the key is called that a deployment's graphs trace and ask for tokens with. */
export function keyName(deploymentId: string): string {
  return `${PREFIX}${deploymentId}`;
}

/** The deployment that a key of this name belongs to. */
export function deploymentOfKey(name: string): string | undefined {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : undefined;
}
