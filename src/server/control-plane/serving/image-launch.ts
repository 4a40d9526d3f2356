import { readRevisionConfig, readSourceConfig } from '../data/deployment-wire.ts';
import { limitsOf } from '../data/resource-limits.ts';
import type { ImageLaunch } from '../images/container.ts';
import type { BuiltRevision } from './deployment-environment.ts';

/**
 * The image, variables and limits with which the container of a revision is started.
 * @param environment the container's variables.
 * @throws Error for a revision that was not built from an image.
 */
export function imageLaunchOf(
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
