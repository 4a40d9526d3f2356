import { codingAgents } from '../contract/coding-agents.ts';
import { mcpHandlers } from './coding-agents/mcp-handlers.ts';
import { ControlPlane } from './control-plane/control-plane.ts';
import type { SecretBox } from './control-plane/secrets/secret-box.ts';
import type { Origin } from './http/origin.ts';
import type { Router } from './http/router.ts';
import { mountAudit, mountIdentity, mountWorkspaceLimits } from './identity/routes.ts';
import { WorkspaceDeletion } from './identity/workspace-deletion.ts';
import type { Logger } from './logger.ts';
import type { Serving } from './make-serving.ts';
import type { Platform } from './open-platform.ts';
import type { ServerState } from './open-state.ts';
import { type OpenTeam, openTeamFrontDoor } from './open-team.ts';
import { servesDeployments } from './roles.ts';
import type { ServerOptions } from './server-options.ts';
import type { Tracing } from './traces-thread/tracing.ts';

/** The parts to close with the server, once its areas have been mounted. */
export interface Areas {
  readonly controlPlane: ControlPlane;
  /** The address to which a load balancer sends the requests of a team; undefined without a team. */
  readonly frontDoor: Origin | undefined;
}

/** The parts from which the areas are made. */
export interface AreaParts {
  readonly state: ServerState;
  readonly platform: Platform;
  readonly serving: Serving;
  readonly team: OpenTeam | undefined;
  /** Encrypts the secrets of deployments. */
  readonly box: SecretBox;
  /** Resolves when the stored traces have been checked; rejects with a DataFolderError if they are damaged. */
  readonly tracesChecked: Promise<void>;
}

/**
 * Mounts the areas of a server, and serves its deployments.
 * @throws PortTakenError for the port of a team, DataFolderError for damaged traces.
 */
export async function openAreas(options: ServerOptions, parts: AreaParts): Promise<Areas> {
  const { state, platform, serving } = parts;
  const { router, otherRoles, availability } = platform;
  const { tracing, presence } = serving;
  const { roles } = options;
  const tracesRouter = roles.has('traces') ? router : otherRoles;
  const controlPlane = makeControlPlane(options, parts);
  presence.stayWhile(() => controlPlane.busy);
  await tracing.mount(tracesRouter);
  await mountIdentityOf(state, tracing, router, options.logger);
  mountWorkspaceLimits(router, serving.limiter);
  // Requests are logged only from now on, because the audit log is loaded with the areas.
  platform.audit.log = mountAudit(router, state.db, {
    logger: options.logger,
    keptDays: async (workspaceId) => (await serving.limiter.read(workspaceId)).audit_days,
  });
  await parts.tracesChecked;
  // Every deployment must be served before the first response. No build may begin before this either, because
  // it would be mistaken for one that a crash left unfinished.
  if (servesDeployments(roles) && state.home.hasDeployments) await controlPlane.start();
  controlPlane.mount(servesDeployments(roles) ? router : otherRoles);
  tracesRouter.mount(
    codingAgents,
    mcpHandlers({
      version: options.version,
      baseUrl: platform.origin.url,
      deployments: {
        isHere: (id) => serving.agents.urlOf(id) !== undefined,
        find: async (id) => (await controlPlane.findServed(id))?.url,
      },
    }),
  );
  availability.setStarted();
  return { controlPlane, frontDoor: await openTeamFrontDoor(options, { platform, controlPlane }) };
}

/** Mounts identity, after completing deletions of workspaces that an earlier server began. */
async function mountIdentityOf(
  { db, identity }: ServerState,
  tracing: Tracing,
  router: Router,
  logger: Logger,
): Promise<void> {
  const deletion = new WorkspaceDeletion(db, identity, (request) => tracing.purgeWorkspace(request));
  await deletion.resume(logger);
  mountIdentity(router, { db, identity, deletion });
}

function makeControlPlane(
  { folder, logger, programs, builds, sleepAfterMs }: ServerOptions,
  { state, platform, serving, team, box }: AreaParts,
): ControlPlane {
  const { home, db, meters, identity, organizationId } = state;
  const { changes, secretNames, tracing, agents, maker, folders } = serving;
  const { origin } = platform;
  return new ControlPlane(
    {
      host: {
        dataDir: folder.dir,
        environment: process.env,
        logger,
        changes,
        meters,
        baseUrl: () => origin.url,
        containerConnections: platform.containerConnections,
        ownKeys: [state.apiKey, state.tracingKey],
      },
      db,
      identity,
      organizationId,
      serving: {
        agents,
        folders,
        makeAgentServer: (deployment) => maker.make(deployment),
        accessTo: (deployment) => maker.accessTo({ ...deployment, requiresKey: () => true }),
        sleepAfterMs,
      },
      builds: { ...builds, buildGuard: programs.buildGuard },
      secretNames,
      projects: tracing.projects,
      checkSourceKind: (source) => home.checkSourceKind(source),
      team: team?.controlPlane,
    },
    box,
  );
}
