import { Availability } from './availability.ts';
import { ContainerConnections } from './http/container-connections.ts';
import { type DispatchOptions, dispatcher } from './http/dispatch.ts';
import { forbidden } from './http/errors.ts';
import { refuseMistakenAddress } from './http/mistaken-address.ts';
import { Origin, PortTakenError } from './http/origin.ts';
import { loopbackOnly } from './http/origin-policy.ts';
import { Router } from './http/router.ts';
import type { AuditLog } from './identity/audit-log.ts';
import type { ServerState } from './open-state.ts';
import { otherRole } from './roles.ts';
import type { ServerOptions } from './server-options.ts';
import { Settings } from './storage/settings.ts';

/** The maximum size of a request's body in bytes, for endpoints without a limit of their own. */
const MAX_BODY_BYTES = 50 * 1_048_576;

/** The platform's address, and its endpoints. */
export interface Platform {
  readonly origin: Origin;
  readonly router: Router;
  /** The endpoints of servers with other roles in the team; this server answers them with 503. */
  readonly otherRoles: Router;
  readonly availability: Availability;
  /** The audit log is undefined until the areas are opened. */
  readonly audit: { log: Pick<AuditLog, 'begin'> | undefined };
  /** Recognizes requests that come from containers. */
  readonly containerConnections: ContainerConnections;
  /** How the platform dispatches requests. */
  readonly dispatch: DispatchOptions;
}

/** Opens the platform's port before anything is mounted. @throws PortTakenError for an explicit port. */
export async function openPlatform(
  { port, logger }: Pick<ServerOptions, 'port' | 'logger'>,
  { home, db, identity, meters }: Pick<ServerState, 'home' | 'db' | 'identity' | 'meters'>,
): Promise<Platform> {
  const router = new Router();
  const otherRoles = new Router();
  const availability = new Availability();
  const audit: Platform['audit'] = { log: undefined };
  const containerConnections = new ContainerConnections();
  const dispatch: DispatchOptions = {
    router,
    logger,
    observe: (seconds, status) => meters.requests.observe(seconds, { at: 'platform', status }),
    cors: () => loopbackOnly,
    bodyLimit: MAX_BODY_BYTES,
    authenticate: async (request, access) => {
      availability.checkFolder();
      const caller = await identity.authenticate(request.headers, access);
      if (!containerConnections.has(request)) return caller;
      // The owner's endpoints open folders and start processes outside of containers.
      if ('right' in access && access.right === 'owner')
        throw forbidden('Requests from a container cannot use this endpoint.');
      return { ...caller, isFromContainer: true };
    },
    audit: async (endpoint, call) => audit.log?.begin(endpoint, call),
    onRevoked: (caller, end) => identity.onRevoked(caller, end),
    complete: () => availability.whenStarted(),
    otherwise: async ({ method = 'GET', url = '/' }) => {
      refuseMistakenAddress('platform', url);
      if (otherRoles.find(method, url) !== undefined) throw otherRole();
      return false;
    },
  };
  const listener = dispatcher(dispatch);
  /**
   * Listens on the same port as before a restart, even if that port was requested explicitly, so that saved
   * addresses stay valid.
   */
  async function listen(): Promise<Origin> {
    const settings = new Settings(db);
    const { portSetting } = home;
    const before =
      port === undefined && portSetting !== undefined ? await settings.number(portSetting) : undefined;
    const origin = await Origin.listen(port ?? before ?? 0, listener).catch((error: unknown) => {
      if (!(error instanceof PortTakenError) || before === undefined) throw error;
      logger.warn({ port: before }, 'the previous port is in use; saved links point to it');
      return Origin.listen(0, listener);
    });
    if (portSetting !== undefined) await settings.setNumber(portSetting, origin.port);
    return origin;
  }
  return { origin: await listen(), router, otherRoles, availability, audit, containerConnections, dispatch };
}
