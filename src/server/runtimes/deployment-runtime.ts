import path from 'node:path';
import type { RuntimeState } from '../../contract/harbor.ts';
import type { NotificationHandlers, RequestHandlers } from '../../runtime/protocol/connection.ts';
import type { ProjectExtras, ServerNotifications, ServerRequests } from '../../runtime/protocol/protocol.ts';
import { Generation } from './generation.ts';
import type { LogBook } from './log-book.ts';
import { findNode } from './node-executable.ts';
import { type Project, ProjectError, readProject } from './project.ts';
import { ignoredKeys } from './project-config.ts';
import { runtimeEnvironment, type TracingTarget } from './runtime-environment.ts';
import { RuntimeProcess } from './runtime-process.ts';
import { SourceWatcher } from './source-watcher.ts';

const LOAD_TIMEOUT_MS = 60_000;
const STEADY_MS = 10_000;
const LONGEST_PAUSE_MS = 30_000;

export interface DeploymentRuntimeOptions {
  readonly configPath: string;
  /** The bundle that runs graphs of Node. */
  readonly nodeRuntime: string;
  readonly tracing: TracingTarget;
  readonly log: LogBook;
  /** The server's side of the protocol for this deployment. */
  readonly requests: RequestHandlers<ServerRequests>;
  readonly notifications: NotificationHandlers<ServerNotifications>;
  /** Reload when sources were saved. */
  readonly watch: boolean;
  onState(state: RuntimeState): void;
}

/** The deployment cannot run anything now; the message says why. */
export class RuntimeUnavailableError extends Error {
  override readonly name = 'RuntimeUnavailableError';
}

/**
 * Keeps a deployment's graphs loaded: starts the process in the user's environment, reloads it when sources are saved,
 * and starts it again when it dies. Saved sources load into a new process; runs in flight end in the old one.
 */
export class DeploymentRuntime {
  readonly #options: DeploymentRuntimeOptions;
  #state: RuntimeState = { state: 'stopped' };
  #current: Generation | undefined;
  /** Settles when the newest attempt to load has. */
  #loading: Promise<void> = Promise.resolve();
  #attempt = 0;
  #deaths = 0;
  #watcher: SourceWatcher | undefined;
  #watched = '';
  #project: Project | undefined;
  #stopped = false;

  constructor(options: DeploymentRuntimeOptions) {
    this.#options = options;
  }

  get state(): RuntimeState {
    return this.#state;
  }

  get project(): Project | undefined {
    return this.#project;
  }

  /** Loads the graphs (again) in a fresh process. Never throws: the outcome is the state. */
  start(): Promise<void> {
    this.#stopped = false;
    this.#loading = this.#load();
    return this.#loading;
  }

  /**
   * The loaded graphs, waiting for a load under way.
   * @throws RuntimeUnavailableError
   */
  async ready(): Promise<Generation> {
    for (;;) {
      const loading = this.#loading;
      await loading;
      // A reload may have begun meanwhile; its outcome is what counts.
      if (loading === this.#loading) break;
    }
    if (this.#current !== undefined) return this.#current;
    throw new RuntimeUnavailableError(
      this.#state.state === 'failed' ? this.#state.message : 'The graphs of this deployment are not loaded.',
    );
  }

  /** Ends the process and forgets it. Runs in it end as if it had died. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#attempt++;
    await this.#watcher?.close();
    this.#watcher = undefined;
    this.#watched = '';
    const current = this.#current;
    this.#current = undefined;
    this.#setState({ state: 'stopped' });
    await current?.process.shutdown();
  }

  async #load(): Promise<void> {
    const attempt = ++this.#attempt;
    this.#setState({ state: 'starting' });
    let generation: Generation | undefined;
    try {
      const project = await readProject(this.#options.configPath);
      this.#project = project;
      this.#sayIgnored(project);
      this.#watch();
      generation = await this.#spawn(project);
      if (attempt !== this.#attempt) return generation.retire();
      this.#replace(generation);
    } catch (error) {
      if (attempt !== this.#attempt) return;
      this.#current?.retire();
      this.#current = undefined;
      this.#watch();
      this.#fail(error);
    }
  }

  #sayIgnored(project: Project): void {
    const ignored = ignoredKeys(project.config);
    if (ignored.length === 0) return;
    this.#options.log.write('INFO', `langgraph.json: ${ignored.join(', ')} mean nothing to a local server.`);
  }

  async #spawn(project: Project): Promise<Generation> {
    const { log, nodeRuntime, tracing, requests, notifications } = this.#options;
    if (project.languages.has('python')) {
      throw new ProjectError(
        'Python graphs are not supported yet: every graph must be a JavaScript or TypeScript file.',
      );
    }
    const env = runtimeEnvironment(project, tracing, log);
    const node = await findNode(env.PATH ?? env.Path);
    const process = new RuntimeProcess(
      {
        file: node.file,
        args: ['--enable-source-maps', nodeRuntime],
        cwd: project.dir,
        env: { ...env, ...node.env },
      },
      { requests, notifications },
      log,
    );
    const loaded = await process.initialize(
      { project_dir: project.dir, graphs: { ...project.graphs }, extras: extrasOf(project) },
      LOAD_TIMEOUT_MS,
    );
    log.write(
      'INFO',
      `Graphs run on Node ${loaded.language_version} (${node.file}), LangGraph ${loaded.langgraph_version}, loaded with ${loaded.loader}.`,
    );
    for (const graph of loaded.graphs) {
      if (graph.status === 'failed')
        log.write('ERROR', `Graph '${graph.graph_id}' did not load: ${graph.error.message}`);
    }
    return new Generation(process, loaded);
  }

  #replace(generation: Generation): void {
    const previous = this.#current;
    this.#current = generation;
    previous?.retire();
    const { language, language_version, langgraph_version, loader, graphs } = generation.loaded;
    this.#setState({ state: 'ready', language, language_version, langgraph_version, loader, graphs });
    const loadedAt = performance.now();
    void generation.process.exited.then((how) => {
      if (this.#current !== generation || this.#stopped) return;
      this.#current = undefined;
      this.#deaths = performance.now() - loadedAt > STEADY_MS ? 0 : this.#deaths + 1;
      this.#options.log.write('ERROR', `The graph runtime ${how}; it is started again.`);
      this.#loading = this.#reviveAfterPause();
    });
  }

  /** Starts again at once the first time, then after pauses that double: a process that always dies must not spin. */
  async #reviveAfterPause(): Promise<void> {
    this.#setState({ state: 'starting' });
    const pause = this.#deaths === 0 ? 0 : Math.min(LONGEST_PAUSE_MS, 250 * 2 ** this.#deaths);
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (!this.#stopped) await this.#load();
  }

  /** Even a project that cannot be read is watched: mending it is what the user does next. */
  #watch(): void {
    if (!this.#options.watch) return;
    const { configPath } = this.#options;
    const dir = path.dirname(configPath);
    const envFile = this.#project?.envFile;
    const extra = [configPath, ...(envFile === undefined ? [] : [envFile])];
    const key = extra.join('\n');
    if (key === this.#watched) return;
    void this.#watcher?.close();
    this.#watched = key;
    this.#watcher = new SourceWatcher(dir, extra, (files) => {
      this.#options.log.write('INFO', `Changed: ${files.join(', ')}. Loading the graphs anew.`);
      this.#deaths = 0;
      void this.start();
    });
  }

  #fail(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#options.log.write('ERROR', message);
    this.#setState({
      state: 'failed',
      message,
      ...(error instanceof ProjectError && error.location !== undefined ? { location: error.location } : {}),
    });
  }

  #setState(state: RuntimeState): void {
    this.#state = state;
    this.#options.onState(state);
  }
}

/** What the runtime loads beside graphs, when it is first asked for. */
function extrasOf({ config }: Project): ProjectExtras {
  const embed = config.store?.index?.embed;
  const app = config.http?.app;
  const auth = config.auth?.path;
  return {
    ...(embed === undefined ? {} : { embed }),
    ...(app == null ? {} : { http_app: app }),
    ...(auth === undefined ? {} : { auth }),
  };
}
