import { associatedData } from './associated-data.ts';

type Row = Readonly<Record<string, unknown>>;

/** A table with secrets. */
interface SealedTable {
  /** The columns of its primary key. */
  readonly key: readonly string[];
  /**
   * The columns with encrypted values, each with a function that returns the associated data of a row's
   * value.
   */
  readonly columns: Readonly<Record<string, (row: Row) => string>>;
}

const id = (row: Row) => String(row.id);

/** Everything in a database that is encrypted with the secrets key. */
export const SEALED_TABLES = {
  deployments: {
    key: ['id'],
    columns: {
      sealed_key: (row) => associatedData.deploymentKey(id(row)),
      sealed_webhook_secret: (row) => associatedData.webhookSecret(id(row)),
    },
  },
  secret_sets: { key: ['id'], columns: { sealed: (row) => associatedData.secretSet(id(row)) } },
  workspace_secrets: {
    key: ['workspace_id', 'key'],
    columns: { sealed: (row) => associatedData.workspaceSecret(String(row.workspace_id), String(row.key)) },
  },
  github_integrations: {
    key: ['id'],
    columns: { sealed: (row) => associatedData.githubIntegration(id(row)) },
  },
  oauth_providers: {
    key: ['id'],
    columns: { sealed_client_secret: (row) => associatedData.oauthClient(id(row)) },
  },
  oauth_tokens: { key: ['id'], columns: { sealed: (row) => associatedData.oauthToken(id(row)) } },
  oauth_flows: { key: ['id'], columns: { sealed_verifier: (row) => associatedData.oauthVerifier(id(row)) } },
} as const satisfies Readonly<Record<string, SealedTable>>;
