import path from 'node:path';
import type { DeploymentFolder, Manifest } from './deployment-folder.ts';
import type { ImageBuild } from './image-builder.ts';

/** The build from which a revision is served. */
export type Build = SourceBuild | ImageBuild;

interface SourceBuild {
  readonly kind: 'source';
  readonly key: string;
  readonly commit: string | null;
  /** How many files in a folder differ from the commit; null if unknown. */
  readonly changes: number | null;
  /** Absolute path of its langgraph.json. */
  readonly configPath: string;
  /**
   * Absolute path of the Python environment that was created for the build; undefined if its graphs do not need one.
   */
  readonly python: string | undefined;
}

/** A finished build, by its manifest. */
export function buildOf(folder: DeploymentFolder, manifest: Manifest): SourceBuild {
  return {
    kind: 'source',
    key: manifest.key,
    commit: manifest.commit,
    changes: manifest.changes,
    configPath: path.join(folder.build(manifest.key), manifest.config_path),
    python: manifest.python === null ? undefined : path.resolve(folder.build(manifest.key), manifest.python),
  };
}
