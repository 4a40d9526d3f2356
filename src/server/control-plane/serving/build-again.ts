import type { Build } from '../builds/build.ts';
import type { Builder } from '../builds/builder.ts';
import { readRevisionConfig, readSourceConfig } from '../data/deployment-wire.ts';
import type { LogStore } from '../data/log-store.ts';
import type { RevisionRow } from '../data/revision-store.ts';

/**
 * Fetches the build of a revision from another server, or builds the same source again if that build does not run on this
 * machine.
 * @throws the errors of `Builder.build`.
 */
export function buildAgain(
  { builder, logs }: { readonly builder: Builder; readonly logs: LogStore },
  revision: RevisionRow,
  signal: AbortSignal,
): Promise<Build> {
  const { deployment_id: deploymentId, id: revisionId } = revision;
  const place = { deploymentId, revisionId, stream: 'build' } as const;
  return builder.build(
    {
      deploymentId,
      revisionId,
      source: revision.source,
      sourceConfig: readSourceConfig(revision.source_config),
      sourceRevisionConfig: readRevisionConfig(revision.source_revision_config),
      buildKey: revision.build_key,
      isArchived: true,
      gitAccess: undefined,
      onFound: async () => {},
    },
    { signal, log: (level, message) => logs.write(place, level, message) },
  );
}
