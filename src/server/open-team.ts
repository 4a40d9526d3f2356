import type { ControlPlane } from './control-plane/control-plane.ts';
import type { TeamOptions } from './control-plane/team-options.ts';
import type { Origin } from './http/origin.ts';
import type { Platform } from './open-platform.ts';
import type { ServerState } from './open-state.ts';
import { otherRole, servesDeployments } from './roles.ts';
import type { ServerOptions } from './server-options.ts';
import type { TeamPlatform } from './team/team-platform.ts';
import type { OpenTraceObjects } from './traces-thread/trace-object-store.ts';

/** The parts that the servers of a team share in addition to the database. */
export interface OpenTeam {
  readonly controlPlane: TeamOptions;
  readonly traceObjects: OpenTraceObjects;
}

/** Opens the object store of a team. @throws ObjectsError */
export async function openTeam(
  { objects, storeEnvironment, url, addresses, roles }: TeamPlatform,
  { db, meters }: Pick<ServerState, 'db' | 'meters'>,
): Promise<OpenTeam> {
  const [{ openObjectsOf }, { MeasuredObjects }, { TraceObjects }, { SharedBuilds }, { DeploymentFollower }] =
    await Promise.all([
      import('./team/objects/open-objects.ts'),
      import('./team/objects/measured-objects.ts'),
      import('./team/traces/trace-objects.ts'),
      import('./team/deployments/shared-builds.ts'),
      import('./team/deployments/deployment-follower.ts'),
    ]);
  const store = new MeasuredObjects(await openObjectsOf(db, objects, storeEnvironment), meters);
  return {
    controlPlane: {
      store: new SharedBuilds(store),
      url,
      builds: roles.has('builds'),
      agentUrl: (deploymentId) => addresses.urlOf(deploymentId),
      follow: (options) => new DeploymentFollower(options),
    },
    traceObjects: (tracing) => new TraceObjects({ ...tracing, objects: store }),
  };
}

/** Opens a team's address for load balancers. @returns undefined without a team. @throws PortTakenError */
export async function openTeamFrontDoor(
  { team, logger }: Pick<ServerOptions, 'team' | 'logger'>,
  { platform, controlPlane }: { platform: Platform; controlPlane: ControlPlane },
): Promise<Origin | undefined> {
  if (team === undefined) return undefined;
  const { openFrontDoor } = await import('./team/front-door.ts');
  const { port, addresses, roles } = team;
  const door = await openFrontDoor({
    port,
    platform: platform.dispatch,
    logger,
    addresses,
    isEnding: () => platform.availability.isEnding,
    findAgent: async (deploymentId) => {
      if (!servesDeployments(roles)) throw otherRole();
      return controlPlane.findServed(deploymentId);
    },
  });
  logger.info({ port, url: team.url }, 'the platform is served');
  return door;
}
