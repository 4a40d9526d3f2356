/**
 * The associated data of each kind of encrypted value. A value can only be decrypted with the same associated data, so
 * that nobody can move it to another row of the database.
 */
export const associatedData = {
  deploymentKey: (deploymentId: string) => `deployment key ${deploymentId}`,
  webhookSecret: (deploymentId: string) => `webhook secret ${deploymentId}`,
  secretSet: (id: string) => `secret set ${id}`,
  workspaceSecret: (workspaceId: string, key: string) => `workspace secret ${workspaceId} ${key}`,
  githubIntegration: (id: string) => `github integration ${id}`,
  oauthClient: (id: string) => `oauth client ${id}`,
  oauthToken: (id: string) => `oauth token ${id}`,
  oauthVerifier: (id: string) => `oauth verifier ${id}`,
} as const;
