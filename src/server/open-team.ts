import type { ControlPlane } from './control-plane/control-plane.ts';
import type { TeamOptions } from './control-plane/team-options.ts';
import type { Origin } from './http/origin.ts';
import type { Platform } from './open-platform.ts';
import type { ServerOptions } from './server-options.ts';
import type { TeamPlatform } from './team-platform.ts';

/** What the servers of a team share beside the database. @throws ObjectsError */
export async function openTeam({ objects, secretsKey, url }: TeamPlatform): Promise<TeamOptions> {
  const [{ openObjects }, { agentPath }] = await Promise.all([
    import('./storage/objects/open-objects.ts'),
    import('./front-door.ts'),
  ]);
  return {
    objects: await openObjects(objects, process.env),
    secretsKey,
    url,
    agentUrl: (deploymentId) => `${url}${agentPath(deploymentId)}`,
  };
}

/** Opens what a load balancer sends requests to. @throws PortTakenError */
export async function openFrontDoorOf(
  { team, logger }: Pick<ServerOptions, 'team' | 'logger'>,
  { platform, controlPlane }: { platform: Platform; controlPlane: ControlPlane },
): Promise<Origin | undefined> {
  if (team === undefined) return undefined;
  const { openFrontDoor } = await import('./front-door.ts');
  const { port } = team;
  const door = await openFrontDoor({
    port,
    platform: platform.dispatch,
    logger,
    findAgent: (deploymentId) => controlPlane.findServed(deploymentId),
  });
  logger.info({ port, url: team.url }, 'the platform is served');
  return door;
}
