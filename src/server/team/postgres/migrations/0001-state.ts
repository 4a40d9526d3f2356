import { type Kysely, type Migration, sql } from 'kysely';

/**
 * The tables of `state.db` after its migration 0008. Text is compared by bytes, as IDs and times expect; JSON is text, so
 * that it stays as it was given.
 */
export const state: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of TABLES.split(/(?<=;)\n(?=create )/)) await sql.raw(statement).execute(db);
  },
};

const TABLES = `create function harbor_contains(document text, pattern text) returns boolean language plpgsql immutable as $$
begin
  return document::jsonb @> pattern::jsonb;
exception when data_exception then
  return false;
end $$;
create function harbor_floats(vector bytea) returns double precision[] language plpgsql immutable strict as $$
declare
  floats double precision[] := '{}';
  bits bigint;
  exponent int;
  fraction double precision;
begin
  for at in 0 .. length(vector) / 4 - 1 loop
    bits := get_byte(vector, at * 4) + get_byte(vector, at * 4 + 1) * 256
      + get_byte(vector, at * 4 + 2) * 65536 + get_byte(vector, at * 4 + 3)::bigint * 16777216;
    exponent := ((bits >> 23) & 255)::int;
    fraction := (bits & 8388607) / 8388608.0::double precision;
    floats[at + 1] := (case when bits >> 31 = 1 then -1 else 1 end)
      * case when exponent = 0 then fraction * 2.0::double precision ^ (-126)
             else (1 + fraction) * 2.0::double precision ^ (exponent - 127) end;
  end loop;
  return floats;
end $$;
create function harbor_cosine(a double precision[], b bytea) returns double precision language sql immutable as $$
  select sum(pair.x * pair.y) from unnest(a, harbor_floats(b)) as pair(x, y) having array_length(a, 1) = length(b) / 4
$$;
create function harbor_expect(met bigint, refusal text) returns void language plpgsql as $$
begin
  if met <> 1 then
    raise exception 'expected one row, met %', met using errcode = refusal;
  end if;
end $$;
create table "organizations" (
  "id" text collate "C" primary key,
  "name" text collate "C" not null,
  "created_at" text collate "C" not null
);
create table "workspaces" (
  "id" text collate "C" primary key,
  "organization_id" text collate "C" not null references "organizations" ("id"),
  "name" text collate "C" not null,
  "created_at" text collate "C" not null
);
create table "api_keys" (
  "id" text collate "C" primary key,
  "organization_id" text collate "C" not null references "organizations" ("id"),
  "name" text collate "C" not null,
  "hash" text collate "C" not null unique,
  "prefix" text collate "C" not null,
  "created_at" text collate "C" not null,
  "revoked_at" text collate "C"
);
create table "api_key_workspaces" (
  "api_key_id" text collate "C" not null references "api_keys" ("id") on delete cascade,
  "workspace_id" text collate "C" not null references "workspaces" ("id"),
  constraint "api_key_workspaces_pk" primary key ("api_key_id", "workspace_id")
);
create table "settings" (
  "name" text collate "C" primary key,
  "value" text collate "C" not null
);
create table "deployments" (
  "id" text collate "C" primary key,
  "workspace_id" text collate "C" not null references "workspaces" ("id"),
  "name" text collate "C" not null,
  "source" text collate "C" not null,
  "source_config" text collate "C" not null,
  "source_revision_config" text collate "C" not null,
  "status" text collate "C" not null,
  "latest_revision_id" text collate "C",
  "active_revision_id" text collate "C",
  "port" bigint,
  "config_path" text collate "C" unique,
  "created_at" text collate "C" not null,
  "updated_at" text collate "C" not null,
  "secret_set_id" text collate "C",
  "secret_references" text collate "C",
  "sealed_key" bytea,
  "sealed_webhook_secret" bytea
);
create index "deployments_by_workspace" on "deployments" ("workspace_id", "created_at");
create table "assistants" (
  "assistant_id" text collate "C" not null,
  "deployment_id" text collate "C" not null references "deployments" ("id") on delete cascade,
  "version" bigint not null,
  "graph_id" text collate "C" not null,
  "name" text collate "C" not null,
  "description" text collate "C",
  "config" text collate "C" not null,
  "context" text collate "C" not null,
  "metadata" text collate "C" not null,
  "created_at" text collate "C" not null,
  "updated_at" text collate "C" not null,
  constraint "assistants_pk" primary key ("deployment_id", "assistant_id")
);
create index "assistants_by_created_at" on "assistants" ("deployment_id", "created_at", "assistant_id");
create index "assistants_by_updated_at" on "assistants" ("deployment_id", "updated_at", "assistant_id");
create index "assistants_by_name" on "assistants" ("deployment_id", "name", "assistant_id");
create index "assistants_by_graph_id" on "assistants" ("deployment_id", "graph_id", "assistant_id");
create table "assistant_versions" (
  "assistant_id" text collate "C" not null,
  "deployment_id" text collate "C" not null,
  "version" bigint not null,
  "graph_id" text collate "C" not null,
  "name" text collate "C" not null,
  "description" text collate "C",
  "config" text collate "C" not null,
  "context" text collate "C" not null,
  "metadata" text collate "C" not null,
  "created_at" text collate "C" not null,
  constraint "assistant_versions_pk" primary key ("deployment_id", "assistant_id", "version"),
  constraint "assistant_versions_of" foreign key ("deployment_id", "assistant_id") references "assistants" ("deployment_id", "assistant_id") on delete cascade
);
create table "threads" (
  "thread_id" text collate "C" primary key,
  "deployment_id" text collate "C" not null references "deployments" ("id") on delete cascade,
  "status" text collate "C" not null,
  "metadata" text collate "C" not null,
  "config" text collate "C" not null,
  "values" text collate "C",
  "interrupts" text collate "C" not null,
  "error" text collate "C",
  "created_at" text collate "C" not null,
  "updated_at" text collate "C" not null,
  "state_updated_at" text collate "C",
  "ttl_strategy" text collate "C",
  "ttl_minutes" double precision,
  "expires_at" text collate "C",
  "run_count" bigint default 0 not null
);
create index "threads_by_created_at" on "threads" ("deployment_id", "created_at", "thread_id");
create index "threads_by_updated_at" on "threads" ("deployment_id", "updated_at", "thread_id");
create index "threads_by_state_updated_at" on "threads" ("deployment_id", "state_updated_at", "thread_id");
create index "threads_by_status" on "threads" ("deployment_id", "status", "updated_at", "thread_id");
create index "threads_by_expiry" on "threads" ("expires_at") where "expires_at" is not null;
create table "thread_metadata" (
  "deployment_id" text collate "C" not null,
  "key" text collate "C" not null,
  "value" text collate "C" not null,
  "thread_id" text collate "C" not null references "threads" ("thread_id") on delete cascade,
  constraint "thread_metadata_pk" primary key ("deployment_id", "key", "value", "thread_id")
);
create index "thread_metadata_of" on "thread_metadata" ("thread_id");
create table "checkpoints" (
  "thread_id" text collate "C" not null references "threads" ("thread_id") on delete cascade,
  "checkpoint_ns" text collate "C" not null,
  "checkpoint_id" text collate "C" not null,
  "parent_checkpoint_id" text collate "C",
  "run_id" text collate "C",
  "type" text collate "C" not null,
  "data" text collate "C" not null,
  "channel_versions" text collate "C" not null,
  "metadata" text collate "C" not null,
  "created_at" text collate "C" not null,
  "seq" bigint default 0 not null,
  "events_before" bigint,
  constraint "checkpoints_pk" primary key ("thread_id", "checkpoint_ns", "checkpoint_id")
);
create index "checkpoints_by_run" on "checkpoints" ("run_id") where "run_id" is not null;
create table "checkpoint_blobs" (
  "thread_id" text collate "C" not null references "threads" ("thread_id") on delete cascade,
  "checkpoint_ns" text collate "C" not null,
  "channel" text collate "C" not null,
  "version" text collate "C" not null,
  "type" text collate "C" not null,
  "data" text collate "C" not null,
  constraint "checkpoint_blobs_pk" primary key ("thread_id", "checkpoint_ns", "channel", "version")
);
create table "checkpoint_writes" (
  "thread_id" text collate "C" not null references "threads" ("thread_id") on delete cascade,
  "checkpoint_ns" text collate "C" not null,
  "checkpoint_id" text collate "C" not null,
  "task_id" text collate "C" not null,
  "index" bigint not null,
  "task_path" text collate "C" not null,
  "channel" text collate "C" not null,
  "type" text collate "C" not null,
  "data" text collate "C" not null,
  constraint "checkpoint_writes_pk" primary key ("thread_id", "checkpoint_ns", "checkpoint_id", "task_id", "index")
);
create table "runs" (
  "run_id" text collate "C" primary key,
  "thread_id" text collate "C" not null references "threads" ("thread_id") on delete cascade,
  "deployment_id" text collate "C" not null,
  "assistant_id" text collate "C" not null,
  "graph_id" text collate "C" not null,
  "status" text collate "C" not null,
  "metadata" text collate "C" not null,
  "kwargs" text collate "C" not null,
  "multitask_strategy" text collate "C" not null,
  "attempt" bigint default 0 not null,
  "stateless" bigint not null,
  "lease_owner" text collate "C",
  "lease_expires_at" text collate "C",
  "start_after" text collate "C",
  "error" text collate "C",
  "cancel_reason" text collate "C",
  "created_at" text collate "C" not null,
  "updated_at" text collate "C" not null,
  "thread_order" bigint default 0 not null,
  "started_at" text collate "C",
  "ended_at" text collate "C",
  "events_expire_at" text collate "C",
  "cancel_action" text collate "C"
);
create index "runs_by_thread" on "runs" ("thread_id", "created_at", "run_id");
create index "runs_unfinished" on "runs" ("deployment_id", "status", "created_at") where "status" in ('pending', 'running');
create table "run_events" (
  "run_id" text collate "C" not null references "runs" ("run_id") on delete cascade,
  "first_seq" bigint not null,
  "last_seq" bigint not null,
  "events" text collate "C" not null,
  constraint "run_events_pk" primary key ("run_id", "first_seq")
);
create table "store_items" (
  "deployment_id" text collate "C" not null references "deployments" ("id") on delete cascade,
  "namespace" text collate "C" not null,
  "key" text collate "C" not null,
  "value" text collate "C" not null,
  "created_at" text collate "C" not null,
  "updated_at" text collate "C" not null,
  "ttl_minutes" double precision,
  "expires_at" text collate "C",
  constraint "store_items_pk" primary key ("deployment_id", "namespace", "key")
);
create index "runs_by_thread_order" on "runs" ("thread_id", "thread_order");
create index "runs_by_events_expiry" on "runs" ("events_expire_at") where "events_expire_at" is not null;
create table "crons" (
  "cron_id" text collate "C" primary key,
  "deployment_id" text collate "C" not null references "deployments" ("id") on delete cascade,
  "assistant_id" text collate "C" not null,
  "thread_id" text collate "C" references "threads" ("thread_id") on delete cascade,
  "schedule" text collate "C" not null,
  "timezone" text collate "C",
  "end_time" text collate "C",
  "enabled" bigint not null,
  "on_run_completed" text collate "C" not null,
  "payload" text collate "C" not null,
  "metadata" text collate "C" not null,
  "user_id" text collate "C",
  "next_run_date" text collate "C",
  "created_at" text collate "C" not null,
  "updated_at" text collate "C" not null
);
create index "crons_by_deployment" on "crons" ("deployment_id", "created_at", "cron_id");
create index "crons_by_next_run" on "crons" ("deployment_id", "next_run_date") where "next_run_date" is not null;
create table "webhooks" (
  "webhook_id" text collate "C" primary key,
  "deployment_id" text collate "C" not null references "deployments" ("id") on delete cascade,
  "run_id" text collate "C" not null,
  "url" text collate "C" not null,
  "body" text collate "C" not null,
  "attempts" bigint not null,
  "next_attempt_at" text collate "C" not null,
  "created_at" text collate "C" not null
);
create index "webhooks_by_next_attempt" on "webhooks" ("deployment_id", "next_attempt_at");
create table "store_vectors" (
  "deployment_id" text collate "C" not null,
  "namespace" text collate "C" not null,
  "key" text collate "C" not null,
  "field" text collate "C" not null,
  "vector" bytea not null,
  "floats" double precision[] generated always as (harbor_floats("vector")) stored,
  constraint "store_vectors_pk" primary key ("deployment_id", "namespace", "key", "field"),
  constraint "store_vectors_of" foreign key ("deployment_id", "namespace", "key") references "store_items" ("deployment_id", "namespace", "key") on delete cascade
);
create index "store_items_by_expiry" on "store_items" ("expires_at") where "expires_at" is not null;
create table "revisions" (
  "id" text collate "C" primary key,
  "deployment_id" text collate "C" not null references "deployments" ("id") on delete cascade,
  "source" text collate "C" not null,
  "source_config" text collate "C" not null,
  "source_revision_config" text collate "C" not null,
  "status" text collate "C" not null,
  "status_message" text collate "C",
  "status_history" text collate "C" not null,
  "secret_set_id" text collate "C",
  "build_key" text collate "C",
  "attempts" bigint not null,
  "created_at" text collate "C" not null,
  "updated_at" text collate "C" not null
);
create index "revisions_by_deployment" on "revisions" ("deployment_id", "created_at", "id");
create table "secret_sets" (
  "id" text collate "C" primary key,
  "deployment_id" text collate "C" not null references "deployments" ("id") on delete cascade,
  "names" text collate "C" not null,
  "sealed" bytea not null,
  "created_at" text collate "C" not null
);
create index "secret_sets_by_deployment" on "secret_sets" ("deployment_id");
create table "deployment_logs" (
  "id" bigint generated always as identity primary key,
  "deployment_id" text collate "C" not null references "deployments" ("id") on delete cascade,
  "revision_id" text collate "C",
  "stream" text collate "C" not null,
  "at" bigint not null,
  "level" text collate "C" not null,
  "message" text collate "C" not null
);
create index "deployment_logs_by_stream" on "deployment_logs" ("deployment_id", "stream", "id");
create table "uploads" (
  "id" text collate "C" primary key,
  "deployment_id" text collate "C" not null references "deployments" ("id") on delete cascade,
  "token_hash" text collate "C" not null unique,
  "expires_at" text collate "C" not null,
  "uploaded_at" text collate "C"
);
create index "uploads_by_deployment" on "uploads" ("deployment_id");
create table "listeners" (
  "id" text collate "C" primary key,
  "workspace_id" text collate "C" not null references "workspaces" ("id"),
  "version" text collate "C",
  "compute_type" text collate "C" not null,
  "compute_id" text collate "C" not null,
  "compute_config" text collate "C" not null,
  "created_at" text collate "C" not null,
  "updated_at" text collate "C" not null,
  constraint "listeners_by_compute" unique ("workspace_id", "compute_id")
);
create table "github_integrations" (
  "id" text collate "C" primary key,
  "workspace_id" text collate "C" not null references "workspaces" ("id"),
  "installation_id" bigint not null,
  "name" text collate "C" not null,
  "sealed" bytea not null,
  "created_at" text collate "C" not null
);
create index "github_integrations_by_workspace" on "github_integrations" ("workspace_id");
create table "bearer_tokens" (
  "hash" text collate "C" primary key,
  "api_key_id" text collate "C" not null references "api_keys" ("id") on delete cascade,
  "workspace_id" text collate "C" not null references "workspaces" ("id"),
  "expires_at" text collate "C" not null
);
create index "bearer_tokens_by_expiry" on "bearer_tokens" ("expires_at");
create table "oauth_providers" (
  "id" text collate "C" primary key,
  "organization_id" text collate "C" not null references "organizations" ("id"),
  "provider_id" text collate "C" not null,
  "name" text collate "C" not null,
  "client_id" text collate "C" not null,
  "sealed_client_secret" bytea,
  "auth_url" text collate "C" not null,
  "token_url" text collate "C" not null,
  "uses_pkce" bigint not null,
  "code_challenge_method" text collate "C",
  "provider_type" text collate "C",
  "mcp_server_url" text collate "C",
  "token_endpoint_auth_method" text collate "C" not null,
  "is_dynamic_client" bigint not null,
  "created_at" text collate "C" not null,
  "updated_at" text collate "C" not null,
  "workspace_id" text collate "C",
  constraint "oauth_providers_by_name" unique ("organization_id", "provider_id")
);
create table "oauth_tokens" (
  "id" text collate "C" primary key,
  "organization_id" text collate "C" not null,
  "workspace_id" text collate "C" not null references "workspaces" ("id"),
  "provider_id" text collate "C" not null,
  "user_id" text collate "C" not null,
  "provider_account_label" text collate "C",
  "scopes" text collate "C" not null,
  "sealed" bytea not null,
  "expires_at" text collate "C",
  "is_default" bigint not null,
  "created_at" text collate "C" not null,
  "updated_at" text collate "C" not null,
  constraint "oauth_tokens_of" foreign key ("organization_id", "provider_id") references "oauth_providers" ("organization_id", "provider_id") on delete cascade
);
create index "oauth_tokens_by_user" on "oauth_tokens" ("workspace_id", "user_id", "provider_id");
create table "oauth_flows" (
  "id" text collate "C" primary key,
  "organization_id" text collate "C" not null,
  "workspace_id" text collate "C" not null references "workspaces" ("id"),
  "provider_id" text collate "C" not null,
  "user_id" text collate "C" not null,
  "agent_id" text collate "C",
  "state_hash" text collate "C" not null unique,
  "scopes" text collate "C" not null,
  "sealed_verifier" bytea,
  "redirect_uri" text collate "C" not null,
  "is_default" bigint not null,
  "status" text collate "C" not null,
  "error" text collate "C",
  "token_id" text collate "C" references "oauth_tokens" ("id") on delete set null,
  "expires_at" text collate "C" not null,
  "created_at" text collate "C" not null,
  constraint "oauth_flows_of" foreign key ("organization_id", "provider_id") references "oauth_providers" ("organization_id", "provider_id") on delete cascade
);
create index "oauth_flows_open" on "oauth_flows" ("workspace_id", "provider_id", "user_id") where "status" = 'pending';
create table "agent_connections" (
  "id" text collate "C" primary key,
  "workspace_id" text collate "C" not null references "workspaces" ("id"),
  "agent_id" text collate "C" not null,
  "oauth_token_id" text collate "C" not null references "oauth_tokens" ("id") on delete cascade,
  "created_by" text collate "C" not null,
  "created_at" text collate "C" not null,
  constraint "agent_connections_once" unique ("workspace_id", "agent_id", "oauth_token_id")
);
create table "workspace_secrets" (
  "workspace_id" text collate "C" not null references "workspaces" ("id"),
  "key" text collate "C" not null,
  "sealed" bytea not null,
  "updated_at" text collate "C" not null,
  constraint "workspace_secrets_key" primary key ("workspace_id", "key")
);
create index "checkpoints_by_seq" on "checkpoints" ("thread_id", "checkpoint_ns", "seq");
create index "checkpoints_last" on "checkpoints" ("thread_id", "seq");
create unique index "deployments_once" on "deployments" ("workspace_id", "name") where "config_path" is null;
create view "thread_counts" as select "deployment_id", count(*) as "threads" from "threads" group by "deployment_id";`;
