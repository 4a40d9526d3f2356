import { SessionCreate, SessionsQuery } from '../../../contract/tracing/sessions.ts';
import { HttpError } from '../../http/errors.ts';
import type { TracingServices } from './services.ts';

/**
 * The projects that deployments trace to: each has its deployment's name
 * (docs/interface/control-plane.md#deployments).
 */
export class DeploymentProjects {
  readonly #services: TracingServices;

  constructor(services: TracingServices) {
    this.#services = services;
  }

  /** Creates the project unless it exists. */
  async ensure(workspaceId: string, name: string): Promise<void> {
    const { write, publish } = this.#services;
    try {
      const session = SessionCreate.parse({ name });
      const { id } = await write('createSession', { workspaceId, upsert: false, session });
      publish(workspaceId, [{ resource: 'project', action: 'created', id }]);
    } catch (error) {
      // The project exists.
      if (!(error instanceof HttpError) || error.status !== 409) throw error;
    }
  }

  /** Deletes the project with its traces, if there is one. */
  async delete(workspaceId: string, name: string): Promise<void> {
    const { purgeSessions, read, publish } = this.#services;
    const { sessions } = await read('listSessions', { workspaceId, query: SessionsQuery.parse({ name }) });
    if (sessions.length === 0) return;
    const sessionIds = sessions.map(({ id }) => id);
    await purgeSessions({ workspaceId, by: 'deployment', sessionIds });
    publish(
      workspaceId,
      sessionIds.map((id) => ({ resource: 'project', action: 'deleted', id })),
    );
  }
}
