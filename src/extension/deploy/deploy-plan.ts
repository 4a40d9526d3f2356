import { isObject } from '../../process/objects.ts';

/** All answers about a deployment, without the values of secrets. */
export interface DeployPlan {
  /** The path of the langgraph.json. */
  readonly configPath: string;
  readonly connectionId: string;
  readonly name: string;
  /** The type of a new deployment; it cannot be changed later. */
  readonly type: string | undefined;
  readonly source: PlannedSource;
  /** The names of the env file's variables to deploy; `undefined` keeps the variables of the deployment. */
  readonly variables: readonly string[] | undefined;
}

export type PlannedSource =
  /**
   * The folder with its uncommitted files. The local server reads it; for other platforms, it is uploaded.
   */
  | { readonly kind: 'folder' }
  | {
      readonly kind: 'repository';
      readonly url: string;
      /** A branch, `refs/tags/…` or a commit. */
      readonly ref: string;
      readonly integrationId?: string | undefined;
    }
  /** A container image, by its name. */
  | { readonly kind: 'image'; readonly image: string };

/** Reads a stored plan; undefined if there is none, or its format is unknown. */
export function parseDeployPlan(kept: unknown): DeployPlan | undefined {
  return isPlan(kept) ? kept : undefined;
}

function isPlan(value: unknown): value is DeployPlan {
  if (!isObject(value) || !isObject(value.source)) return false;
  const { configPath, connectionId, name, type, source, variables } = value;
  const texts = [configPath, connectionId, name];
  const isSource =
    source.kind === 'folder' ||
    (source.kind === 'image' && typeof source.image === 'string') ||
    (source.kind === 'repository' && typeof source.url === 'string' && typeof source.ref === 'string');
  return (
    texts.every((text) => typeof text === 'string') &&
    isSource &&
    (type === undefined || typeof type === 'string') &&
    (variables === undefined ||
      (Array.isArray(variables) && variables.every((one) => typeof one === 'string')))
  );
}
