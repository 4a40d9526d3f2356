// Made from the migrations by scripts/generate-structure.ts; run `npm run generate` when there is a new one.

/** Gives an empty database the structure that the migrations of `state.db` lead to. */
export const stateStructure = `
CREATE TABLE "migrations" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
CREATE TABLE "migrations_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
CREATE TABLE "organizations" ("id" text primary key, "name" text not null, "created_at" text not null);
CREATE TABLE "workspaces" ("id" text primary key, "organization_id" text not null references "organizations" ("id"), "name" text not null, "created_at" text not null, "limits" text);
CREATE TABLE "api_keys" ("id" text primary key, "organization_id" text not null references "organizations" ("id"), "name" text not null, "hash" text not null unique, "prefix" text not null, "created_at" text not null, "revoked_at" text, "rights" text default '[]' not null, "projects" text, "deployment_id" text);
CREATE TABLE "api_key_workspaces" ("api_key_id" text not null references "api_keys" ("id") on delete cascade, "workspace_id" text not null references "workspaces" ("id"), constraint "api_key_workspaces_pk" primary key ("api_key_id", "workspace_id"));
CREATE TABLE "settings" ("name" text primary key, "value" text not null);
CREATE TABLE "deployments" ("id" text primary key, "workspace_id" text not null references "workspaces" ("id"), "name" text not null, "source" text not null, "source_config" text not null, "source_revision_config" text not null, "status" text not null, "latest_revision_id" text, "active_revision_id" text, "port" integer, "config_path" text unique, "created_at" text not null, "updated_at" text not null, "secret_set_id" text, "secret_references" text, "sealed_key" blob, "sealed_webhook_secret" blob, "paused_at" text);
CREATE INDEX "deployments_by_workspace" on "deployments" ("workspace_id", "created_at");
CREATE TABLE "assistants" ("assistant_id" text not null, "deployment_id" text not null references "deployments" ("id") on delete cascade, "version" integer not null, "graph_id" text not null, "name" text not null, "description" text, "config" text not null, "context" text not null, "metadata" text not null, "created_at" text not null, "updated_at" text not null, constraint "assistants_pk" primary key ("deployment_id", "assistant_id"));
CREATE INDEX "assistants_by_created_at" on "assistants" ("deployment_id", "created_at", "assistant_id");
CREATE INDEX "assistants_by_updated_at" on "assistants" ("deployment_id", "updated_at", "assistant_id");
CREATE INDEX "assistants_by_name" on "assistants" ("deployment_id", "name", "assistant_id");
CREATE INDEX "assistants_by_graph_id" on "assistants" ("deployment_id", "graph_id", "assistant_id");
CREATE TABLE "assistant_versions" ("assistant_id" text not null, "deployment_id" text not null, "version" integer not null, "graph_id" text not null, "name" text not null, "description" text, "config" text not null, "context" text not null, "metadata" text not null, "created_at" text not null, constraint "assistant_versions_pk" primary key ("deployment_id", "assistant_id", "version"), constraint "assistant_versions_of" foreign key ("deployment_id", "assistant_id") references "assistants" ("deployment_id", "assistant_id") on delete cascade);
CREATE TABLE "threads" ("thread_id" text primary key, "deployment_id" text not null references "deployments" ("id") on delete cascade, "status" text not null, "metadata" text not null, "config" text not null, "values" text, "interrupts" text not null, "error" text, "created_at" text not null, "updated_at" text not null, "state_updated_at" text, "ttl_strategy" text, "ttl_minutes" real, "expires_at" text, "run_count" integer default 0 not null);
CREATE INDEX "threads_by_created_at" on "threads" ("deployment_id", "created_at", "thread_id");
CREATE INDEX "threads_by_updated_at" on "threads" ("deployment_id", "updated_at", "thread_id");
CREATE INDEX "threads_by_state_updated_at" on "threads" ("deployment_id", "state_updated_at", "thread_id");
CREATE INDEX "threads_by_status" on "threads" ("deployment_id", "status", "updated_at", "thread_id");
CREATE INDEX "threads_by_expiry" on "threads" ("expires_at") where "expires_at" is not null;
CREATE TABLE "thread_metadata" ("deployment_id" text not null, "key" text not null, "value" text not null, "thread_id" text not null references "threads" ("thread_id") on delete cascade, constraint "thread_metadata_pk" primary key ("deployment_id", "key", "value", "thread_id")) without rowid;
CREATE INDEX "thread_metadata_of" on "thread_metadata" ("thread_id");
CREATE TABLE "checkpoints" ("thread_id" text not null references "threads" ("thread_id") on delete cascade, "checkpoint_ns" text not null, "checkpoint_id" text not null, "parent_checkpoint_id" text, "run_id" text, "type" text not null, "data" blob not null, "channel_versions" text not null, "metadata" text not null, "created_at" text not null, "seq" integer default 0 not null, "events_before" integer, constraint "checkpoints_pk" primary key ("thread_id", "checkpoint_ns", "checkpoint_id"));
CREATE INDEX "checkpoints_by_run" on "checkpoints" ("run_id") where "run_id" is not null;
CREATE TABLE "checkpoint_blobs" ("thread_id" text not null references "threads" ("thread_id") on delete cascade, "checkpoint_ns" text not null, "channel" text not null, "version" text not null, "type" text not null, "data" blob not null, constraint "checkpoint_blobs_pk" primary key ("thread_id", "checkpoint_ns", "channel", "version"));
CREATE TABLE "checkpoint_writes" ("thread_id" text not null references "threads" ("thread_id") on delete cascade, "checkpoint_ns" text not null, "checkpoint_id" text not null, "task_id" text not null, "index" integer not null, "task_path" text not null, "channel" text not null, "type" text not null, "data" blob not null, "after_copies" integer default 0 not null, constraint "checkpoint_writes_pk" primary key ("thread_id", "checkpoint_ns", "checkpoint_id", "task_id", "index"));
CREATE TABLE "runs" ("run_id" text primary key, "thread_id" text not null references "threads" ("thread_id") on delete cascade, "deployment_id" text not null, "assistant_id" text not null, "graph_id" text not null, "status" text not null, "metadata" text not null, "kwargs" text not null, "multitask_strategy" text not null, "attempt" integer default 0 not null, "stateless" integer not null, "lease_owner" text, "lease_expires_at" text, "start_after" text, "error" text, "cancel_reason" text, "created_at" text not null, "updated_at" text not null, "thread_order" integer default 0 not null, "started_at" text, "ended_at" text, "events_expire_at" text, "cancel_action" text, "last_checkpoint_id" text, "interrupts" text, "cost" real default 0 not null, "revision_id" text);
CREATE INDEX "runs_by_thread" on "runs" ("thread_id", "created_at", "run_id");
CREATE INDEX "runs_unfinished" on "runs" ("deployment_id", "status", "created_at") where "status" in ('pending', 'running');
CREATE TABLE "run_events" ("run_id" text not null references "runs" ("run_id") on delete cascade, "first_seq" integer not null, "last_seq" integer not null, "events" text not null, constraint "run_events_pk" primary key ("run_id", "first_seq"));
CREATE TABLE "store_items" ("deployment_id" text not null references "deployments" ("id") on delete cascade, "namespace" text not null, "key" text not null, "value" text not null, "created_at" text not null, "updated_at" text not null, "ttl_minutes" real, "expires_at" text, constraint "store_items_pk" primary key ("deployment_id", "namespace", "key"));
CREATE INDEX "runs_by_thread_order" on "runs" ("thread_id", "thread_order");
CREATE INDEX "runs_by_events_expiry" on "runs" ("events_expire_at") where "events_expire_at" is not null;
CREATE TABLE "crons" ("cron_id" text primary key, "deployment_id" text not null references "deployments" ("id") on delete cascade, "assistant_id" text not null, "thread_id" text references "threads" ("thread_id") on delete cascade, "schedule" text not null, "timezone" text, "end_time" text, "enabled" integer not null, "on_run_completed" text not null, "payload" text not null, "metadata" text not null, "user_id" text, "next_run_date" text, "created_at" text not null, "updated_at" text not null);
CREATE INDEX "crons_by_deployment" on "crons" ("deployment_id", "created_at", "cron_id");
CREATE INDEX "crons_by_next_run" on "crons" ("deployment_id", "next_run_date") where "next_run_date" is not null;
CREATE TABLE "webhooks" ("webhook_id" text primary key, "deployment_id" text not null references "deployments" ("id") on delete cascade, "run_id" text not null, "url" text not null, "body" text not null, "attempts" integer not null, "next_attempt_at" text not null, "created_at" text not null);
CREATE INDEX "webhooks_by_next_attempt" on "webhooks" ("deployment_id", "next_attempt_at");
CREATE TABLE "store_vectors" ("deployment_id" text not null, "namespace" text not null, "key" text not null, "field" text not null, "vector" blob not null, constraint "store_vectors_pk" primary key ("deployment_id", "namespace", "key", "field"), constraint "store_vectors_of" foreign key ("deployment_id", "namespace", "key") references "store_items" ("deployment_id", "namespace", "key") on delete cascade);
CREATE INDEX "store_items_by_expiry" on "store_items" ("expires_at") where "expires_at" is not null;
CREATE TABLE "revisions" ("id" text primary key, "deployment_id" text not null references "deployments" ("id") on delete cascade, "source" text not null, "source_config" text not null, "source_revision_config" text not null, "status" text not null, "status_message" text, "status_history" text not null, "secret_set_id" text, "build_key" text, "attempts" integer not null, "created_at" text not null, "updated_at" text not null, "draining_until" text);
CREATE INDEX "revisions_by_deployment" on "revisions" ("deployment_id", "created_at", "id");
CREATE TABLE "secret_sets" ("id" text primary key, "deployment_id" text not null references "deployments" ("id") on delete cascade, "names" text not null, "sealed" blob not null, "created_at" text not null);
CREATE INDEX "secret_sets_by_deployment" on "secret_sets" ("deployment_id");
CREATE TABLE "deployment_logs" ("id" integer primary key autoincrement, "deployment_id" text not null references "deployments" ("id") on delete cascade, "revision_id" text, "stream" text not null, "at" integer not null, "level" text not null, "message" text not null);
CREATE INDEX "deployment_logs_by_stream" on "deployment_logs" ("deployment_id", "stream", "id");
CREATE TABLE "uploads" ("id" text primary key, "deployment_id" text not null references "deployments" ("id") on delete cascade, "token_hash" text not null unique, "expires_at" text not null, "uploaded_at" text);
CREATE INDEX "uploads_by_deployment" on "uploads" ("deployment_id");
CREATE TABLE "listeners" ("id" text primary key, "workspace_id" text not null references "workspaces" ("id"), "version" text, "compute_type" text not null, "compute_id" text not null, "compute_config" text not null, "created_at" text not null, "updated_at" text not null, constraint "listeners_by_compute" unique ("workspace_id", "compute_id"));
CREATE TABLE "github_integrations" ("id" text primary key, "workspace_id" text not null references "workspaces" ("id"), "installation_id" integer not null, "name" text not null, "sealed" blob not null, "created_at" text not null);
CREATE INDEX "github_integrations_by_workspace" on "github_integrations" ("workspace_id");
CREATE TABLE "bearer_tokens" ("hash" text primary key, "api_key_id" text not null references "api_keys" ("id") on delete cascade, "workspace_id" text not null references "workspaces" ("id"), "expires_at" text not null);
CREATE INDEX "bearer_tokens_by_expiry" on "bearer_tokens" ("expires_at");
CREATE TABLE "oauth_providers" ("id" text primary key, "organization_id" text not null references "organizations" ("id"), "provider_id" text not null, "name" text not null, "client_id" text not null, "sealed_client_secret" blob, "auth_url" text not null, "token_url" text not null, "uses_pkce" integer not null, "code_challenge_method" text, "provider_type" text, "mcp_server_url" text, "token_endpoint_auth_method" text not null, "is_dynamic_client" integer not null, "created_at" text not null, "updated_at" text not null, "workspace_id" text, constraint "oauth_providers_by_name" unique ("organization_id", "provider_id"));
CREATE TABLE "oauth_tokens" ("id" text primary key, "organization_id" text not null, "workspace_id" text not null references "workspaces" ("id"), "provider_id" text not null, "user_id" text not null, "provider_account_label" text, "scopes" text not null, "sealed" blob not null, "expires_at" text, "is_default" integer not null, "created_at" text not null, "updated_at" text not null, constraint "oauth_tokens_of" foreign key ("organization_id", "provider_id") references "oauth_providers" ("organization_id", "provider_id") on delete cascade);
CREATE INDEX "oauth_tokens_by_user" on "oauth_tokens" ("workspace_id", "user_id", "provider_id");
CREATE TABLE "oauth_flows" ("id" text primary key, "organization_id" text not null, "workspace_id" text not null references "workspaces" ("id"), "provider_id" text not null, "user_id" text not null, "agent_id" text, "state_hash" text not null unique, "scopes" text not null, "sealed_verifier" blob, "redirect_uri" text not null, "is_default" integer not null, "status" text not null, "error" text, "token_id" text references "oauth_tokens" ("id") on delete set null, "expires_at" text not null, "created_at" text not null, constraint "oauth_flows_of" foreign key ("organization_id", "provider_id") references "oauth_providers" ("organization_id", "provider_id") on delete cascade);
CREATE INDEX "oauth_flows_open" on "oauth_flows" ("workspace_id", "provider_id", "user_id") where "status" = 'pending';
CREATE TABLE "agent_connections" ("id" text primary key, "workspace_id" text not null references "workspaces" ("id"), "agent_id" text not null, "oauth_token_id" text not null references "oauth_tokens" ("id") on delete cascade, "created_by" text not null, "created_at" text not null, constraint "agent_connections_once" unique ("workspace_id", "agent_id", "oauth_token_id"));
CREATE TABLE "thread_counts" ("deployment_id" text primary key references "deployments" ("id") on delete cascade, "threads" integer not null);
CREATE TRIGGER thread_counted after insert on threads begin
      insert into thread_counts values (new.deployment_id, 1)
        on conflict (deployment_id) do update set threads = threads + 1;
    end;
CREATE TRIGGER thread_discounted after delete on threads begin
      update thread_counts set threads = threads - 1 where deployment_id = old.deployment_id;
    end;
CREATE TABLE "workspace_secrets" ("workspace_id" text not null references "workspaces" ("id"), "key" text not null, "sealed" blob not null, "updated_at" text not null, constraint "workspace_secrets_key" primary key ("workspace_id", "key"));
CREATE INDEX "checkpoints_by_seq" on "checkpoints" ("thread_id", "checkpoint_ns", "seq");
CREATE INDEX "checkpoints_last" on "checkpoints" ("thread_id", "seq");
CREATE TABLE "exchanges" ("thread_id" text not null references "threads" ("thread_id") on delete cascade, "run_id" text not null, "ordinal" integer not null, "hash" text not null, "node" text not null, "task" text not null, "data" text not null, constraint "exchanges_pk" primary key ("thread_id", "run_id", "ordinal")) without rowid;
CREATE TABLE "exchange_parts" ("thread_id" text not null references "threads" ("thread_id") on delete cascade, "run_id" text not null, "ordinal" integer not null, "part" integer not null, "data" text not null, constraint "exchange_parts_pk" primary key ("thread_id", "run_id", "ordinal", "part")) without rowid;
CREATE TABLE "replays" ("thread_id" text not null references "threads" ("thread_id") on delete cascade, "run_id" text not null, "data" text not null, constraint "replays_pk" primary key ("thread_id", "run_id")) without rowid;
CREATE TABLE "histories" ("thread_id" text primary key references "threads" ("thread_id") on delete cascade, "base_id" text references "threads" ("thread_id"), "base_copies" integer, "shared_seq" integer not null, "copies" integer default 0 not null) without rowid;
CREATE INDEX "histories_by_base" on "histories" ("base_id");
CREATE TRIGGER checkpoint_kept before update on checkpoints
      when exists (select 1 from histories where base_id = old.thread_id and shared_seq >= old.seq) begin
      insert into checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, data,
          channel_versions, metadata, created_at, seq)
        select thread_id, old.checkpoint_ns, old.checkpoint_id, old.parent_checkpoint_id, old.type, old.data,
          old.channel_versions, json_set(old.metadata, '$."thread_id"', thread_id), old.created_at, old.seq
        from histories where base_id = old.thread_id and shared_seq >= old.seq
        on conflict do nothing;
    end;
CREATE TRIGGER write_kept before update on checkpoint_writes
      when exists (select 1 from histories where base_id = old.thread_id and base_copies >= old.after_copies) begin
      insert into checkpoint_writes (thread_id, checkpoint_ns, checkpoint_id, task_id, "index", task_path, channel, type, data)
        select thread_id, old.checkpoint_ns, old.checkpoint_id, old.task_id, old."index", old.task_path, old.channel,
          old.type, old.data
        from histories where base_id = old.thread_id and base_copies >= old.after_copies
        on conflict do nothing;
    end;
CREATE INDEX "api_keys_by_deployment" on "api_keys" ("deployment_id");
CREATE TABLE "daily_costs" ("deployment_id" text not null references "deployments" ("id") on delete cascade, "day" text not null, "cost" real not null, constraint "daily_costs_pk" primary key ("deployment_id", "day")) without rowid;
CREATE TABLE "audit_events" ("id" text not null primary key, "organization_id" text not null references "organizations" ("id") on delete cascade, "workspace_id" text, "at" text not null, "actor" text not null, "actor_name" text, "action" text not null, "subject" text not null, "status" integer);
CREATE INDEX "audit_events_by_workspace" on "audit_events" ("workspace_id", "id");
INSERT INTO migrations (name, timestamp) VALUES
  ('0001-foundation', strftime('%Y-%m-%dT%H:%M:%fZ')),
  ('0002-agent-server', strftime('%Y-%m-%dT%H:%M:%fZ')),
  ('0003-control-plane', strftime('%Y-%m-%dT%H:%M:%fZ')),
  ('0004-thread-counts', strftime('%Y-%m-%dT%H:%M:%fZ')),
  ('0005-workspace-secrets', strftime('%Y-%m-%dT%H:%M:%fZ')),
  ('0006-checkpoint-order', strftime('%Y-%m-%dT%H:%M:%fZ')),
  ('0007-provider-workspace', strftime('%Y-%m-%dT%H:%M:%fZ')),
  ('0008-cut-off-runs', strftime('%Y-%m-%dT%H:%M:%fZ')),
  ('0009-exchanges', strftime('%Y-%m-%dT%H:%M:%fZ')),
  ('0010-run-ends', strftime('%Y-%m-%dT%H:%M:%fZ')),
  ('0011-recordings', strftime('%Y-%m-%dT%H:%M:%fZ')),
  ('0012-histories', strftime('%Y-%m-%dT%H:%M:%fZ')),
  ('0013-key-rights', strftime('%Y-%m-%dT%H:%M:%fZ')),
  ('0014-costs', strftime('%Y-%m-%dT%H:%M:%fZ')),
  ('0015-operations', strftime('%Y-%m-%dT%H:%M:%fZ')),
  ('0016-run-revisions', strftime('%Y-%m-%dT%H:%M:%fZ'));
INSERT INTO migrations_lock (id, is_locked) VALUES ('migration_lock', 0);
`;
