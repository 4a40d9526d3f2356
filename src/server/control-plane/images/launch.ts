import type { ResourceLimits } from '../../../containers/run-arguments.ts';
import { ResourceSpec } from '../../../contract/control-plane/sources.ts';
import { readRevisionConfig, readSourceConfig } from '../deployments/deployment-wire.ts';
import type { BuiltRevision } from '../serving/deployment-environment.ts';
import type { ImageLaunch } from './container.ts';

/** How a revision whose source is an image is started. @param environment its variables. */
export function launchOf(
  { revision, build }: BuiltRevision,
  environment: Readonly<Record<string, string>>,
): ImageLaunch {
  if (build.kind !== 'image') throw new Error(`Revision ${revision.id} has no image.`);
  return {
    image: build.image,
    reference: readRevisionConfig(revision.source_revision_config).image_uri ?? build.key,
    environment,
    limits: limitsOf(readSourceConfig(revision.source_config).resource_spec),
  };
}

/** The limits of a deployment, or else what it asks for; 0 is no limit. */
function limitsOf(spec: unknown): ResourceLimits {
  const read = ResourceSpec.safeParse(spec ?? {});
  if (!read.success) return {};
  const { cpu, cpu_limit, memory_mb, memory_limit_mb } = read.data;
  return { cpus: cpu_limit || cpu || undefined, memoryMb: memory_limit_mb || memory_mb || undefined };
}
