import { type Kysely, type Migration, sql } from 'kysely';

/** Revisions, secrets, logs, uploads, listeners, integrations, bearer tokens and OAuth. */
export const controlPlane: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await deployments(db);
    await access(db);
    await oauth(db);
  },
};

async function deployments({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('deployments').addColumn('secret_set_id', 'text').execute();
  await schema.alterTable('deployments').addColumn('secret_references', 'text').execute();
  await schema.alterTable('deployments').addColumn('sealed_key', 'blob').execute();
  await schema.alterTable('deployments').addColumn('sealed_webhook_secret', 'blob').execute();
  await schema
    .createTable('revisions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('deployment_id', 'text', (column) =>
      column.notNull().references('deployments.id').onDelete('cascade'),
    )
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('source_config', 'text', (column) => column.notNull())
    .addColumn('source_revision_config', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('status_message', 'text')
    .addColumn('status_history', 'text', (column) => column.notNull())
    .addColumn('secret_set_id', 'text')
    .addColumn('build_key', 'text')
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('revisions_by_deployment')
    .on('revisions')
    .columns(['deployment_id', 'created_at', 'id'])
    .execute();
  await schema
    .createTable('secret_sets')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('deployment_id', 'text', (column) =>
      column.notNull().references('deployments.id').onDelete('cascade'),
    )
    .addColumn('names', 'text', (column) => column.notNull())
    .addColumn('sealed', 'blob', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
  await schema.createIndex('secret_sets_by_deployment').on('secret_sets').column('deployment_id').execute();
  await schema
    .createTable('deployment_logs')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('deployment_id', 'text', (column) =>
      column.notNull().references('deployments.id').onDelete('cascade'),
    )
    .addColumn('revision_id', 'text')
    .addColumn('stream', 'text', (column) => column.notNull())
    .addColumn('at', 'integer', (column) => column.notNull())
    .addColumn('level', 'text', (column) => column.notNull())
    .addColumn('message', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('deployment_logs_by_stream')
    .on('deployment_logs')
    .columns(['deployment_id', 'stream', 'id'])
    .execute();
  await schema
    .createTable('uploads')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('deployment_id', 'text', (column) =>
      column.notNull().references('deployments.id').onDelete('cascade'),
    )
    .addColumn('token_hash', 'text', (column) => column.notNull().unique())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .addColumn('uploaded_at', 'text')
    .execute();
  await schema.createIndex('uploads_by_deployment').on('uploads').column('deployment_id').execute();
}

async function access({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('listeners')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('workspace_id', 'text', (column) => column.notNull().references('workspaces.id'))
    .addColumn('version', 'text')
    .addColumn('compute_type', 'text', (column) => column.notNull())
    .addColumn('compute_id', 'text', (column) => column.notNull())
    .addColumn('compute_config', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addUniqueConstraint('listeners_by_compute', ['workspace_id', 'compute_id'])
    .execute();
  await schema
    .createTable('github_integrations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('workspace_id', 'text', (column) => column.notNull().references('workspaces.id'))
    .addColumn('installation_id', 'integer', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('sealed', 'blob', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('github_integrations_by_workspace')
    .on('github_integrations')
    .column('workspace_id')
    .execute();
  await schema
    .createTable('bearer_tokens')
    .addColumn('hash', 'text', (column) => column.primaryKey())
    .addColumn('api_key_id', 'text', (column) =>
      column.notNull().references('api_keys.id').onDelete('cascade'),
    )
    .addColumn('workspace_id', 'text', (column) => column.notNull().references('workspaces.id'))
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .execute();
  await schema.createIndex('bearer_tokens_by_expiry').on('bearer_tokens').column('expires_at').execute();
}

async function oauth({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('oauth_providers')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('provider_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('client_id', 'text', (column) => column.notNull())
    .addColumn('sealed_client_secret', 'blob')
    .addColumn('auth_url', 'text', (column) => column.notNull())
    .addColumn('token_url', 'text', (column) => column.notNull())
    .addColumn('uses_pkce', 'integer', (column) => column.notNull())
    .addColumn('code_challenge_method', 'text')
    .addColumn('provider_type', 'text')
    .addColumn('mcp_server_url', 'text')
    .addColumn('token_endpoint_auth_method', 'text', (column) => column.notNull())
    .addColumn('is_dynamic_client', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addUniqueConstraint('oauth_providers_by_name', ['organization_id', 'provider_id'])
    .execute();
  await schema
    .createTable('oauth_tokens')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('workspace_id', 'text', (column) => column.notNull().references('workspaces.id'))
    .addColumn('provider_id', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('provider_account_label', 'text')
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('sealed', 'blob', (column) => column.notNull())
    .addColumn('expires_at', 'text')
    .addColumn('is_default', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addForeignKeyConstraint(
      'oauth_tokens_of',
      ['organization_id', 'provider_id'],
      'oauth_providers',
      ['organization_id', 'provider_id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute();
  await schema
    .createIndex('oauth_tokens_by_user')
    .on('oauth_tokens')
    .columns(['workspace_id', 'user_id', 'provider_id'])
    .execute();
  await schema
    .createTable('oauth_flows')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('workspace_id', 'text', (column) => column.notNull().references('workspaces.id'))
    .addColumn('provider_id', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('agent_id', 'text')
    .addColumn('state_hash', 'text', (column) => column.notNull().unique())
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('sealed_verifier', 'blob')
    .addColumn('redirect_uri', 'text', (column) => column.notNull())
    .addColumn('is_default', 'integer', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('error', 'text')
    .addColumn('token_id', 'text', (column) => column.references('oauth_tokens.id').onDelete('set null'))
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addForeignKeyConstraint(
      'oauth_flows_of',
      ['organization_id', 'provider_id'],
      'oauth_providers',
      ['organization_id', 'provider_id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute();
  await schema
    .createIndex('oauth_flows_open')
    .on('oauth_flows')
    .columns(['workspace_id', 'provider_id', 'user_id'])
    .where(sql.ref('status'), '=', sql.lit('pending'))
    .execute();
  await schema
    .createTable('agent_connections')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('workspace_id', 'text', (column) => column.notNull().references('workspaces.id'))
    .addColumn('agent_id', 'text', (column) => column.notNull())
    .addColumn('oauth_token_id', 'text', (column) =>
      column.notNull().references('oauth_tokens.id').onDelete('cascade'),
    )
    .addColumn('created_by', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addUniqueConstraint('agent_connections_once', ['workspace_id', 'agent_id', 'oauth_token_id'])
    .execute();
}
