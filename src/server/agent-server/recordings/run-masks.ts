import { Masker } from '../../../replay/mask.ts';
import { inheritedSecrets, secretValues } from '../../../replay/secret-values.ts';
import type { DeploymentRuntime } from '../../runtimes/deployment-runtime.ts';
import type { LiveRun } from '../runs/live-run.ts';

/** The masks for the secrets in a run's requests and responses. */
export interface RunMasks {
  /**
   * The mask for requests, which also covers the IDs of the run and its thread, because a replay has
   * different ones.
   */
  readonly request: Masker;
  readonly response: Masker;
}

/** Creates the masks of each run once, from the secrets of the deployment. */
export class MasksOfRuns {
  readonly #runtime: Pick<DeploymentRuntime, 'project' | 'inherited'>;
  readonly #masks = new WeakMap<LiveRun, RunMasks>();

  constructor(runtime: Pick<DeploymentRuntime, 'project' | 'inherited'>) {
    this.#runtime = runtime;
  }

  of(run: LiveRun): RunMasks {
    const known = this.#masks.get(run);
    if (known !== undefined) return known;
    const secrets = [
      ...inheritedSecrets(this.#runtime.inherited),
      ...secretValues(this.#runtime.project?.env ?? {}),
    ];
    const { runId, threadId } = run.identity;
    const own = [
      { name: 'thread_id', value: threadId },
      { name: 'run_id', value: runId },
    ];
    const masks = { request: new Masker([...secrets, ...own]), response: new Masker(secrets) };
    this.#masks.set(run, masks);
    return masks;
  }
}
