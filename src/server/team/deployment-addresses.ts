import type { IncomingMessage } from 'node:http';

const ID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const PATH = new RegExp(`^/d/(${ID})(?=[/?]|$)`, 'i');

/** A request to a deployment, taken from its address. */
export interface AddressedRequest {
  readonly deploymentId: string;
  /** The path as the deployment knows it, with the query. */
  readonly url: string;
}

/** Where clients reach the deployments of a team: each below a path of the platform, and at a host of its own. */
export class DeploymentAddresses {
  readonly #platformUrl: string;
  readonly #hostsUrl: string | undefined;
  readonly #host: RegExp | undefined;

  /**
   * @param platformUrl where clients reach the platform, without a slash at its end.
   * @param hostsUrl where they reach a deployment, with `*` for its ID, without a slash at its end.
   */
  constructor(platformUrl: string, hostsUrl?: string) {
    this.#platformUrl = platformUrl;
    this.#hostsUrl = hostsUrl;
    if (hostsUrl === undefined) return;
    const domain = new URL(hostsUrl).hostname.slice('*.'.length);
    this.#host = new RegExp(`^(${ID})\\.${domain.replaceAll('.', '\\.')}(?::\\d+)?$`, 'i');
  }

  /** The address that a deployment's clients are told. */
  urlOf(deploymentId: string): string {
    return this.#hostsUrl?.replace('*', deploymentId) ?? `${this.#platformUrl}/d/${deploymentId}`;
  }

  /** Reads whom a request is for. @returns undefined for the platform. */
  read({ headers, url = '/' }: Pick<IncomingMessage, 'headers' | 'url'>): AddressedRequest | undefined {
    const [, ofHost] = this.#host?.exec(headers.host ?? '') ?? [];
    if (ofHost !== undefined) return { deploymentId: ofHost.toLowerCase(), url };
    const [prefix, ofPath] = PATH.exec(url) ?? [];
    if (prefix === undefined || ofPath === undefined) return undefined;
    const rest = url.slice(prefix.length);
    return { deploymentId: ofPath.toLowerCase(), url: rest.startsWith('/') ? rest : `/${rest}` };
  }
}
