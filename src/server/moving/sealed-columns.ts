import { sealedPlaces } from '../control-plane/secrets/sealed-places.ts';
import type { SecretBox } from '../control-plane/secrets/secret-box.ts';
import type { MovedTable } from './moved-tables.ts';
import type { Row } from './row.ts';

type Place = (row: Row) => string;

const id = (row: Row) => String(row.id);

/** The columns whose values are sealed, and where each value belongs. */
export const SEALED_COLUMNS: Partial<Record<MovedTable, Readonly<Record<string, Place>>>> = {
  deployments: {
    sealed_key: (row) => sealedPlaces.deploymentKey(id(row)),
    sealed_webhook_secret: (row) => sealedPlaces.webhookSecret(id(row)),
  },
  secret_sets: { sealed: (row) => sealedPlaces.secretSet(id(row)) },
  workspace_secrets: {
    sealed: (row) => sealedPlaces.workspaceSecret(String(row.workspace_id), String(row.key)),
  },
  github_integrations: { sealed: (row) => sealedPlaces.githubIntegration(id(row)) },
  oauth_providers: { sealed_client_secret: (row) => sealedPlaces.oauthClient(id(row)) },
  oauth_tokens: { sealed: (row) => sealedPlaces.oauthToken(id(row)) },
  oauth_flows: { sealed_verifier: (row) => sealedPlaces.oauthVerifier(id(row)) },
};

/** A row with its secrets in the clear. */
export function openSecrets(table: MovedTable, row: Row, box: SecretBox | undefined): Row {
  const sealed = SEALED_COLUMNS[table];
  if (sealed === undefined || box === undefined) return row;
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => {
      const place = sealed[column];
      return [
        column,
        place !== undefined && value instanceof Uint8Array ? box.open(value, place(row)) : value,
      ];
    }),
  );
}
