import { l10n } from 'vscode';
import { isUuid } from '../../client/is-uuid.ts';
import { isNotFound } from '../../client/request-error.ts';
import type { SourceLocation } from '../../contract/harbor.ts';
import type { PlatformConnection } from '../connections/connection.ts';
import type { Deployments } from '../deployments/deployments.ts';
import type { FolderDeployments } from '../deployments/folder-deployments.ts';
import type { OpenDeployment } from '../deployments/open-deployment.ts';
import { GraphSources } from '../graphs/graph-sources.ts';
import type { ShowableOrigin, SpanOrigin } from './span-origin.ts';

export interface SourcePlace {
  /** The node, or the graph if the span belongs to no node. */
  readonly name: string;
  readonly location: SourceLocation;
}

/** The deployments among which a span's place is searched. */
export type OpenableDeployments = Pick<Deployments, 'findOpen'> & {
  readonly folders: Pick<FolderDeployments, 'list' | 'open'>;
};

/**
 * Finds the sources, threads and deployments of spans among the deployments that are being served. It starts
 * none.
 */
export class SpanPlaces {
  readonly #deployments: OpenableDeployments;
  readonly #connection: PlatformConnection;
  readonly #sources = new GraphSources();

  constructor(deployments: OpenableDeployments, connection: PlatformConnection) {
    this.#deployments = deployments;
    this.#connection = connection;
  }

  /** The parts of an origin that this window can open. */
  async describe(origin: SpanOrigin): Promise<ShowableOrigin> {
    const [source, opened] = await Promise.all([this.findSource(origin), this.findThread(origin)]);
    return { source: source?.name, has_thread: opened !== undefined };
  }

  /** Finds the source of a span's node, according to its runtime; undefined if no runtime knows it. */
  async findSource({ graph, node }: SpanOrigin): Promise<SourcePlace | undefined> {
    if (graph === undefined) return undefined;
    for (const { state } of await this.#deployments.folders.list()) {
      if (state.status !== 'open') continue;
      const connect = () => this.#connection.connect();
      const location = await this.#sources.find(state.live, graph, node, connect);
      if (location !== undefined) return { name: node ?? graph, location };
    }
    return undefined;
  }

  /** Finds a deployment of an open folder that serves a graph. @throws Error if there is none */
  async requireDeployment(graph: string | undefined): Promise<OpenDeployment> {
    for (const { config, state } of await this.#deployments.folders.list()) {
      if (state.status !== 'open' || state.live.runtime.state !== 'ready') continue;
      if (state.live.runtime.graphs.some(({ graph_id }) => graph_id === graph))
        return this.#deployments.folders.open(config);
    }
    throw new Error(l10n.t('No open folder serves the graph of this trace. Open its folder first.'));
  }

  /** Finds the deployment that has a span's thread; undefined if none has. @throws RequestError */
  async findThread({ thread }: SpanOrigin): Promise<OpenDeployment | undefined> {
    // Other programs name threads as they like, while the threads of deployments have UUIDs.
    if (thread === undefined || !isUuid(thread)) return undefined;
    const current = await this.#deployments.findOpen();
    if (current !== undefined && (await hasThread(current, thread))) return current;
    for (const { config, state } of await this.#deployments.folders.list()) {
      if (state.status !== 'open' || config.uri.fsPath === current?.key) continue;
      const opened = await this.#deployments.folders.open(config);
      if (await hasThread(opened, thread)) return opened;
    }
    return undefined;
  }
}

async function hasThread({ client }: OpenDeployment, thread_id: string): Promise<boolean> {
  try {
    await client.threads.get({ params: { thread_id } });
    return true;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return false;
  }
}
