import type { Deployment } from '../../../contract/control-plane/deployments.ts';
import { SourceConfig, SourceRevisionConfig } from '../../../contract/control-plane/sources.ts';
import type { DeploymentRow } from './deployment-store.ts';

/**
 * Converts a stored deployment to the wire format.
 * @param url the address at which it is served.
 * @param secretNames the names of its secrets; their values are never returned.
 */
export function toDeployment(
  row: DeploymentRow,
  url: string | undefined,
  secretNames: readonly string[],
): Deployment {
  return {
    id: row.id,
    name: row.name,
    tenant_id: row.workspace_id,
    source: row.source,
    source_config: {
      integration_id: null,
      repo_url: null,
      deployment_type: null,
      build_on_push: null,
      resource_spec: null,
      listener_id: null,
      listener_config: null,
      install_command: null,
      build_command: null,
      ...readSourceConfig(row.source_config),
      custom_url: url ?? null,
    },
    source_revision_config: wholeRevisionConfig(readRevisionConfig(row.source_revision_config)),
    secrets: secretNames.map((name) => ({ name, value: '' })),
    secret_references: row.secret_references === null ? null : JSON.parse(row.secret_references),
    status: row.status,
    latest_revision_id: row.latest_revision_id,
    active_revision_id: row.active_revision_id,
    image_version: null,
    paused_at: row.paused_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

/** A config with all fields, and with the path of langgraph.json under both of its names. */
export function wholeRevisionConfig(config: SourceRevisionConfig): SourceRevisionConfig {
  const configPath = config.platform_config_path ?? config.langgraph_config_path ?? null;
  return {
    repo_ref: null,
    image_uri: null,
    source_tarball_path: null,
    repo_commit_sha: null,
    ...config,
    platform_config_path: configPath,
    langgraph_config_path: configPath,
  };
}

/** Parses a stored `source_config`. @throws ZodError if it has another form. */
export function readSourceConfig(json: string): SourceConfig {
  return SourceConfig.parse(JSON.parse(json));
}

/** Parses a stored `source_revision_config`. @throws ZodError if it has another form. */
export function readRevisionConfig(json: string): SourceRevisionConfig {
  return SourceRevisionConfig.parse(JSON.parse(json));
}
