/** The place of each encrypted text, to which the encryption binds it. */
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
