import type { IncomingMessage } from 'node:http';

const ID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const PATH = new RegExp(`^/d/(${ID})(?=[/?]|$)`, 'i');

/** A request to a deployment, taken from its address. */
interface AddressedRequest {
  readonly deploymentId: string;
  /** The path for the deployment, with the query. */
  readonly url: string;
}

/**
 * The addresses of a team's deployments: each has a path below the platform's address, and may also have its own host.
 */
export class DeploymentAddresses {
  readonly #platformUrl: string;
  readonly #hostsUrl: string | undefined;
  readonly #host: RegExp | undefined;

  /**
   * @param platformUrl the address of the platform for clients, without a trailing slash.
   * @param hostsUrl the address of a deployment, with `*` for its ID, without a trailing slash.
   */
  constructor(platformUrl: string, hostsUrl?: string) {
    this.#platformUrl = platformUrl;
    this.#hostsUrl = hostsUrl;
    if (hostsUrl === undefined) return;
    const domain = new URL(hostsUrl).hostname.slice('*.'.length);
    this.#host = new RegExp(`^(${ID})\\.${domain.replaceAll('.', '\\.')}(?::\\d+)?$`, 'i');
  }

  /** The address that a deployment's clients use. */
  urlOf(deploymentId: string): string {
    return this.#hostsUrl?.replace('*', deploymentId) ?? `${this.#platformUrl}/d/${deploymentId}`;
  }

  /** Finds the deployment of a request. @returns undefined for the platform. */
  read({ headers, url = '/' }: Pick<IncomingMessage, 'headers' | 'url'>): AddressedRequest | undefined {
    const [, ofHost] = this.#host?.exec(headers.host ?? '') ?? [];
    if (ofHost !== undefined) return { deploymentId: ofHost.toLowerCase(), url };
    const [prefix, ofPath] = PATH.exec(url) ?? [];
    if (prefix === undefined || ofPath === undefined) return undefined;
    const rest = url.slice(prefix.length);
    return { deploymentId: ofPath.toLowerCase(), url: rest.startsWith('/') ? rest : `/${rest}` };
  }
}
