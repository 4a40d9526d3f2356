import type { Generated } from 'kysely';
import type { RevisionStatus } from '../../contract/control-plane/revisions.ts';
import type { DeploymentSource } from '../../contract/control-plane/sources.ts';
import type { LogLevel } from '../../contract/fields.ts';
import type { StoredJson } from './stored-json.ts';

/** ISO 8601 in UTC with milliseconds, so that sorting as text sorts by time. */
export type Time = string;
/** A value that is encrypted with the secrets key (`SecretBox`). */
type Sealed = Uint8Array;

export interface RevisionTable {
  id: string;
  deployment_id: string;
  source: DeploymentSource;
  /** The deployment's source_config at the time when the revision was created. */
  source_config: StoredJson;
  source_revision_config: StoredJson;
  status: RevisionStatus;
  status_message: string | null;
  /** Array of {status, at}. */
  status_history: StoredJson;
  secret_set_id: string | null;
  /** The key of the build, which revisions with the same content share; null until it is known. */
  build_key: string | null;
  /** The number of attempts to build or deploy the revision. */
  attempts: number;
  /** Until when runs that began on the revision may end on it, although a newer one is live; null if it does not drain. */
  draining_until: Generated<Time | null>;
  created_at: Time;
  updated_at: Time;
}

/** All secrets of a deployment at one time. Each revision refers to a set, so that rolling back restores its secrets. */
export interface SecretSetTable {
  id: string;
  deployment_id: string;
  /** The names of the secrets, which clients can read. */
  names: StoredJson;
  sealed: Sealed;
  created_at: Time;
}

export interface DeploymentLogTable {
  id: Generated<number>;
  deployment_id: string;
  revision_id: string | null;
  stream: 'build' | 'deploy';
  /** Milliseconds since 1970. */
  at: number;
  level: LogLevel;
  message: string;
}

/** URLs that accept one tarball each. Their tokens are stored as hashes. */
export interface UploadTable {
  id: string;
  deployment_id: string;
  token_hash: string;
  expires_at: Time;
  uploaded_at: Time | null;
}

export interface ListenerTable {
  id: string;
  workspace_id: string;
  version: string | null;
  compute_type: string;
  compute_id: string;
  compute_config: StoredJson;
  created_at: Time;
  updated_at: Time;
}

export interface GithubIntegrationTable {
  id: string;
  workspace_id: string;
  installation_id: number;
  name: string;
  /** The token for the code host. */
  sealed: Sealed;
  created_at: Time;
}

export interface BearerTokenTable {
  hash: string;
  api_key_id: string;
  workspace_id: string;
  expires_at: Time;
}

export interface OAuthProviderTable {
  id: string;
  organization_id: string;
  provider_id: string;
  name: string;
  client_id: string;
  sealed_client_secret: Sealed | null;
  auth_url: string;
  token_url: string;
  uses_pkce: number;
  code_challenge_method: string | null;
  provider_type: string | null;
  mcp_server_url: string | null;
  token_endpoint_auth_method: string;
  is_dynamic_client: number;
  /** The workspace in which the provider was created, which may change it; null for older ones. */
  workspace_id: string | null;
  created_at: Time;
  updated_at: Time;
}

/** A sign-in, which begins with a request to `authenticate`. */
export interface OAuthFlowTable {
  id: string;
  organization_id: string;
  workspace_id: string;
  provider_id: string;
  /** The user that the token will belong to. */
  user_id: string;
  agent_id: string | null;
  state_hash: string;
  scopes: StoredJson;
  sealed_verifier: Sealed | null;
  redirect_uri: string;
  is_default: number;
  status: 'pending' | 'completed' | 'failed';
  error: string | null;
  token_id: string | null;
  expires_at: Time;
  created_at: Time;
}

export interface OAuthTokenTable {
  id: string;
  organization_id: string;
  workspace_id: string;
  provider_id: string;
  user_id: string;
  provider_account_label: string | null;
  scopes: StoredJson;
  /** Access and refresh token. */
  sealed: Sealed;
  expires_at: Time | null;
  is_default: number;
  created_at: Time;
  updated_at: Time;
}

export interface AgentConnectionTable {
  id: string;
  workspace_id: string;
  agent_id: string;
  oauth_token_id: string;
  created_by: string;
  created_at: Time;
}

/** Secrets of a workspace, by their names. */
export interface WorkspaceSecretTable {
  workspace_id: string;
  key: string;
  sealed: Sealed;
  updated_at: Time;
}

/** The control plane's part of `state.db`. */
export interface ControlPlaneSchema {
  revisions: RevisionTable;
  secret_sets: SecretSetTable;
  deployment_logs: DeploymentLogTable;
  uploads: UploadTable;
  listeners: ListenerTable;
  github_integrations: GithubIntegrationTable;
  bearer_tokens: BearerTokenTable;
  oauth_providers: OAuthProviderTable;
  oauth_flows: OAuthFlowTable;
  oauth_tokens: OAuthTokenTable;
  agent_connections: AgentConnectionTable;
  workspace_secrets: WorkspaceSecretTable;
}
