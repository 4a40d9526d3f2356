import { Isolation, type SourceConfig } from '../../../contract/control-plane/sources.ts';

/** The variable for all deployments of a server; a single deployment can only require more isolation. */
const VARIABLE = 'AGENT_HARBOR_ISOLATION';

/** Decides which deployments are isolated from the server's machine. */
export class IsolationPolicy {
  readonly #ofAll: Isolation;

  /** @throws Error for an invalid value of the variable. */
  constructor(environment: NodeJS.ProcessEnv) {
    const wanted = Isolation.safeParse(environment[VARIABLE] || 'process');
    if (!wanted.success)
      throw new Error(
        `${VARIABLE} must be ${Isolation.options.join(' or ')}, not '${environment[VARIABLE]}'.`,
      );
    this.#ofAll = wanted.data;
  }

  /** Whether a deployment is built and run in containers of its own. */
  isolates({ isolation }: Pick<SourceConfig, 'isolation'>): boolean {
    return this.#ofAll === 'container' || isolation === 'container';
  }
}
