import type { Deployment, deployments } from '../contract/control-plane/deployments.ts';
import type { BodyInput } from '../contract/endpoint.ts';
import type { GitState } from '../project/git-state.ts';

type Create = BodyInput<typeof deployments.create>;

/** The top folder of the source, and the path of its `langgraph.json` below that folder. */
export type SourcePlace = Pick<GitState, 'top' | 'configPath'>;

/** The source that a deployment is made from. */
export type WantedSource =
  /** A folder on this machine. */
  | {
      readonly kind: 'folder';
      readonly place: SourcePlace;
      /** Whether the server is on this machine too, so that nothing is uploaded. */
      readonly isLocal: boolean;
    }
  | {
      readonly kind: 'repository';
      readonly place: SourcePlace;
      readonly url: string;
      /** A branch, tag or commit. */
      readonly ref: string | undefined;
      /** The credentials for reading a private repository. */
      readonly integrationId?: string | undefined;
    }
  /** A container image, by its name. */
  | { readonly kind: 'image'; readonly image: string };

/** The kind of a source as the public interface calls it. */
export function kindOf(source: WantedSource): Create['source'] {
  if (source.kind === 'image') return 'external_docker';
  if (source.kind === 'repository') return 'github';
  return source.isLocal ? 'workspace' : 'internal_source';
}

/** The part of a source that stays the same for all revisions of a deployment. */
export function sourceConfigOf(
  source: WantedSource,
): Omit<Create['source_config'] & object, 'deployment_type'> {
  if (source.kind === 'image') return {};
  if (source.kind === 'folder') return source.isLocal ? { workspace_dir: source.place.top } : {};
  const { url, integrationId } = source;
  return { repo_url: url, ...(integrationId === undefined ? {} : { integration_id: integrationId }) };
}

/** The part of a source that may differ between revisions. */
export function revisionConfigOf(source: WantedSource): NonNullable<Create['source_revision_config']> {
  if (source.kind === 'image') return { image_uri: source.image };
  const { configPath } = source.place;
  if (source.kind === 'folder') {
    // For an upload, the path is sent later, with the update that deploys it: before the upload, there is no
    // such file.
    return source.isLocal ? { platform_config_path: configPath } : {};
  }
  return { langgraph_config_path: configPath, ...(source.ref === undefined ? {} : { repo_ref: source.ref }) };
}

/** @throws Error when an existing deployment has another source. */
export function requireSameSource(existing: Deployment, source: WantedSource): void {
  const { repo_url, workspace_dir } = existing.source_config;
  const isSame =
    existing.source === kindOf(source) &&
    (source.kind !== 'repository' || source.url === repo_url) &&
    (existing.source !== 'workspace' || (source.kind === 'folder' && workspace_dir === source.place.top));
  // A deployment from a repository can be updated from a folder, which only provides the path of
  // langgraph.json in the repository.
  if (isSame || (existing.source === 'github' && source.kind === 'folder')) return;
  throw new Error(
    `Deployment '${existing.name}' already exists and is deployed from ${sourceText(existing)}. Choose another name, or delete it first.`,
  );
}

function sourceText({ source, source_config, source_revision_config }: Deployment): string {
  const { repo_url, workspace_dir } = source_config;
  if (source === 'external_docker') return `image ${source_revision_config.image_uri}`;
  return repo_url ?? (typeof workspace_dir === 'string' ? workspace_dir : 'uploaded sources');
}
