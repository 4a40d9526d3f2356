import { Isolation } from '../../../contract/control-plane/sources.ts';
import type { Sandboxes } from '../../runtimes/isolation/sandboxes.ts';
import type { LaunchRuntime } from '../../runtimes/launch-runtime.ts';
import { readSourceConfig } from '../deployments/deployment-wire.ts';
import { limitsOf } from '../deployments/resource-limits.ts';
import type { RevisionRow } from '../revisions/revision-store.ts';

/** For every deployment of a server; one of them can only ask for more. */
const VARIABLE = 'AGENT_HARBOR_ISOLATION';

/** Decides which deployments are kept apart from the server's machine. */
export class IsolationPolicy {
  readonly #sandboxes: Sandboxes;
  readonly #ofAll: Isolation;

  /** @throws Error for a variable that says neither. */
  constructor(environment: NodeJS.ProcessEnv, sandboxes: Sandboxes) {
    this.#sandboxes = sandboxes;
    const wanted = Isolation.safeParse(environment[VARIABLE] || 'process');
    if (!wanted.success)
      throw new Error(
        `${VARIABLE} must be ${Isolation.options.join(' or ')}, not '${environment[VARIABLE]}'.`,
      );
    this.#ofAll = wanted.data;
  }

  /**
   * How the graphs of a revision are begun; undefined for a process as any other.
   * @param folder absolute path of its build.
   */
  launcherOf(revision: RevisionRow, folder: string): LaunchRuntime | undefined {
    const { isolation, resource_spec } = readSourceConfig(revision.source_config);
    if (this.#ofAll !== 'container' && isolation !== 'container') return undefined;
    const limits = limitsOf(resource_spec);
    return this.#sandboxes.launcherOf({ deploymentId: revision.deployment_id, folder, limits });
  }
}
