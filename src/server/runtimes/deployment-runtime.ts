import type { DebugEvent } from '../../contract/debugging.ts';
import type { BlockingCall, RuntimeState } from '../../contract/harbor.ts';
import { messageOf } from '../../process/message-of.ts';
import { Debugging } from './generations/debugging.ts';
import type { Generation } from './generations/generation.ts';
import { GenerationLoader, type GenerationLoaderOptions } from './generations/generation-loader.ts';
import { loadedSentence, readyState } from './generations/ready-state.ts';
import { inheritedOf, lackingOf, type RuntimeSource, readSource } from './generations/runtime-source.ts';
import { SeparateLoads } from './generations/separate-loads.ts';
import { readForRollOut, tryOut } from './generations/try-out.ts';
import { whenIdle } from './generations/when-idle.ts';
import { Deaths } from './process/deaths.ts';
import { RuntimeKilledError, RuntimeUnavailableError } from './process/runtime-errors.ts';
import type { RuntimeHandlers } from './process/runtime-process.ts';
import { type Project, ProjectError } from './project/project.ts';
import { ServedState } from './served-state.ts';
import { SourceWatch } from './source-watch.ts';

/** For this long after loading failed, requests get the error without another attempt. */
const RETRY_MS = 1_000;

export interface DeploymentRuntimeOptions extends GenerationLoaderOptions {
  /** The initial source. */
  readonly source: RuntimeSource;
  /** Whether to reload when sources change. */
  readonly watch: boolean;
  /** Milliseconds without work after which the process ends until it is needed again; undefined for never. */
  readonly sleepAfterMs?: number | undefined;
  /** Whether a source that is rolled out loads only on demand, because its graphs run elsewhere. */
  readonly loadsWhenAsked?: boolean | undefined;
}

/** The server's handlers for a runtime's messages and for changes of its state. */
export interface RuntimeLink extends RuntimeHandlers {
  onState(state: RuntimeState): void;
}

/**
 * Keeps a deployment's graphs loaded: starts their processes in the user's environment, loads saved sources into new
 * processes, and starts processes again that end by themselves. Runs in progress end in the processes in which they began.
 */
export class DeploymentRuntime {
  readonly debugging = new Debugging();
  readonly #options: DeploymentRuntimeOptions;
  readonly #loader: GenerationLoader;
  #link: RuntimeLink | undefined;
  #source: RuntimeSource;
  readonly #state = new ServedState((state) => this.#link?.onState(state));
  /** Cancels the wait for the current generation to become idle. */
  #stayAwake = () => {};
  #current: Generation | undefined;
  /** The current generation, and earlier ones with unfinished runs. */
  readonly #generations = new Set<Generation>();
  /** Settles when the latest attempt to load has ended. */
  #loading: Promise<void> = Promise.resolve();
  /** The number of the latest attempt to load; the results of earlier ones are discarded. */
  #attempt = 0;
  /** Aborts the current attempt to load. */
  #underWay: AbortController | undefined;
  readonly #separateLoads = new SeparateLoads();
  readonly #deaths = new Deaths();
  /** Watches the sources of an open folder; undefined for a build, which never changes. */
  readonly #watch: SourceWatch | undefined;
  #hasLoaded = false;
  #project: Project | undefined;
  #stopped = false;

  constructor(options: DeploymentRuntimeOptions) {
    this.#options = options;
    this.#source = options.source;
    this.#loader = new GenerationLoader(options, this.debugging);
    const onChange = () => {
      this.#deaths.reset();
      void this.start();
    };
    this.#watch = options.watch ? new SourceWatch(options.log, onChange) : undefined;
  }

  /** Sets the server's handlers, before anything is loaded. */
  connect(link: RuntimeLink): void {
    this.#link = link;
    this.#loader.connect(link);
  }

  get state(): RuntimeState {
    return this.#state.now;
  }

  /** Whether the runtime has ever been ready for requests, awake or asleep. */
  get hasServed(): boolean {
    return this.#state.hasServed;
  }

  /** The loaded generation; undefined while there is none. */
  get current(): Generation | undefined {
    return this.#current;
  }

  /** The revision that is being served; null for an open folder. */
  get revisionId(): string | null {
    return this.#source.deployed?.revisionId ?? null;
  }

  /** The variables that graphs inherit, without the project's own, which take precedence. */
  get inherited(): Readonly<Record<string, string | undefined>> {
    return inheritedOf(this.#source);
  }

  /** The inherited variables of the graphs, overridden by the project's own. */
  get variables(): Readonly<Record<string, string | undefined>> {
    return { ...this.inherited, ...this.#project?.env };
  }

  /** Whether runs are recorded if their requests do not specify it. */
  get records(): boolean {
    return this.#source.deployed?.records === true;
  }

  get project(): Project | undefined {
    return this.#project;
  }

  /** Settles when the graphs that are being loaded have loaded or failed to load. */
  get loading(): Promise<void> {
    return this.#loading;
  }

  /** Loads the graphs (again) in a fresh process. Never throws: the outcome is the state. */
  start(): Promise<void> {
    this.#stopped = false;
    this.#loading = this.#load();
    return this.#loading;
  }

  /** Reloads the graphs with the selected interpreter (empty resets it), unless it is unchanged. */
  choosePython(choice: string): void {
    const python = choice === '' ? undefined : choice;
    if (this.#source.python === python) return;
    this.#source = { ...this.#source, python };
    if (this.#project?.languages.has('python') === true) void this.start();
  }

  /** Sets values for variables that the graphs lack, and reloads the graphs if they lacked any. */
  standIn(values: Readonly<Record<string, string>>): void {
    const lacking = lackingOf(values, this.variables);
    if (Object.keys(lacking).length === 0) return;
    this.#source = { ...this.#source, standIns: { ...this.#source.standIns, ...values } };
    void this.start();
  }

  /** Reads the project without loading its graphs; the first work loads them. Never throws: see `start`. */
  async startAsleep(): Promise<void> {
    this.#stopped = false;
    try {
      this.#project = await readSource(this.#source);
      this.#state.set({ state: 'stopped' });
    } catch (error) {
      this.#fail(error);
    }
  }

  /**
   * Loads another source into new processes, which take over as soon as all graphs have loaded and the
   * processes respond. Until then, and if that fails, nothing changes. With `loadsWhenAsked`, only reads the
   * project, and switches at once. Runs in progress end in the old processes.
   * @throws RollOutError; the signal's reason when aborted.
   */
  async rollOut(source: RuntimeSource, signal: AbortSignal): Promise<void> {
    if (this.#options.loadsWhenAsked === true) {
      const project = await readForRollOut(source, signal);
      this.#switchTo(source, project);
      this.#stayAwake();
      this.#current?.retire();
      this.#current = undefined;
      this.#state.set({ state: 'stopped' });
      return;
    }
    const generation = await tryOut(source, signal, (project) => this.#loader.load(project, source, signal));
    this.#switchTo(source, generation.project);
    this.#replace(generation);
  }

  /** Switches to another source, and discards any attempt to load. */
  #switchTo(source: RuntimeSource, project: Project): void {
    this.#abandon();
    this.#stopped = false;
    this.#deaths.reset();
    this.#source = source;
    this.#project = project;
    this.#loading = Promise.resolve();
  }

  /**
   * Returns the loaded graphs. Waits for loading, and wakes a sleeping runtime.
   * @throws RuntimeUnavailableError
   */
  async ready(): Promise<Generation> {
    for (;;) {
      const loading = this.#loading;
      await loading;
      // A reload may have started in the meantime.
      if (loading !== this.#loading) continue;
      // With `watch`, only a change of the files loads the graphs again; without it, the next request does.
      if (this.#current !== undefined || this.#stopped || this.#options.watch) break;
      if (this.#state.hasJustFailed(RETRY_MS)) break;
      await this.start();
    }
    if (this.#current !== undefined) return this.#current.touch();
    const { state } = this;
    throw new RuntimeUnavailableError(
      state.state === 'failed' ? state.message : 'The graphs of this deployment are not loaded.',
    );
  }

  /**
   * Loads the graphs into separate processes, for work that may crash its process. The caller retires the
   * processes. Because many loads may be requested at once, they happen one after the other. While a debugger
   * is active, returns the graphs that are already loaded.
   * @throws RuntimeUnavailableError, and errors of loading.
   */
  async loadSeparately(): Promise<Generation> {
    const { project } = await this.ready();
    if (this.debugging.isActive) return this.ready();
    return this.#separateLoads.load(async (signal) => {
      const generation = await this.#loader.load(project, this.#source, signal);
      this.#include(generation);
      return generation;
    });
  }

  /**
   * Starts debugging: tells a debugger the addresses of the processes, now and after every reload.
   * @param debugpy a folder that contains debugpy, for Python environments without it.
   * @returns a function that ends debugging.
   * @throws DebuggedAlreadyError
   */
  debug(tell: (event: DebugEvent) => void, debugpy?: string): () => void {
    const end = this.debugging.start(this.#current?.runtimes ?? [], tell, debugpy);
    // A Python process listens for a debugger from its start, or never.
    const restart = () => {
      if (!this.#stopped && this.#project?.languages.has('python') === true) void this.start();
    };
    restart();
    return () => {
      end();
      restart();
    };
  }

  /** Announces the server's address to processes that were loaded before it was known. */
  announce(url: string): void {
    for (const { connection } of this.#current?.runtimes ?? []) connection.tell('server.address', { url });
  }

  /** Called when the user's code has blocked its event loop. Reloading the graphs clears the report. */
  noteBlocking(call: BlockingCall): void {
    this.#state.noteBlocking(call);
  }

  /** Stops the retired processes of a revision. Their runs are interrupted. */
  async endRetired(revisionId: string): Promise<void> {
    const ended = [...this.#generations].filter(
      (generation) => generation !== this.#current && generation.revisionId === revisionId,
    );
    await Promise.all(ended.map((generation) => generation.shutdown()));
  }

  /** Stops all processes, including retired ones. Their runs are interrupted. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#abandon();
    this.#separateLoads.abort();
    this.#stayAwake();
    await this.#watch?.close();
    this.#current = undefined;
    this.#state.set({ state: 'stopped' });
    await Promise.all([...this.#generations].map((generation) => generation.shutdown()));
  }

  /** Discards the attempt to load that is in progress, if any. */
  #abandon(): void {
    this.#attempt++;
    this.#underWay?.abort();
    this.#underWay = undefined;
  }

  async #load(): Promise<void> {
    this.#abandon();
    const attempt = this.#attempt;
    const underWay = new AbortController();
    this.#underWay = underWay;
    this.#options.log.beginLoad();
    this.#state.set({ state: 'starting' });
    let generation: Generation | undefined;
    try {
      const source = this.#source;
      const project = await readSource(source);
      this.#project = project;
      if (project.missingEnv !== undefined) this.#options.log.write('WARNING', project.missingEnv);
      this.#watchSources();
      generation = await this.#loader.load(project, source, underWay.signal);
      if (attempt !== this.#attempt) return generation.kill();
      this.#underWay = undefined;
      this.#replace(generation);
      this.#logLoaded(generation);
    } catch (error) {
      if (attempt !== this.#attempt) return;
      this.#underWay = undefined;
      this.#watchSources();
      if (this.#keepsServing(error)) return;
      this.#current?.retire();
      this.#current = undefined;
      if (error instanceof RuntimeKilledError && this.#deaths.noteKill()) {
        this.#options.log.write('WARNING', `${error.message} Restarting it.`);
        return this.#reviveAfterPause();
      }
      this.#fail(error);
    } finally {
      this.#options.headStart?.end();
    }
  }

  /**
   * Keeps the previous graphs while a watched langgraph.json is invalid, as it often is while being edited.
   * @returns whether they are kept.
   */
  #keepsServing(error: unknown): boolean {
    const isInvalid = error instanceof ProjectError && error.location?.file === this.#source.configPath;
    if (!isInvalid || this.#current === undefined || !this.#options.watch) return false;
    const { message, location } = error;
    this.#options.log.write('ERROR', `${message} The previous graphs are served until it is valid.`);
    this.#state.set({ ...readyState(this.#current), config_problem: { message, location } });
    return true;
  }

  /** Logs which graphs have been loaded, and other problems of the project. */
  #logLoaded({ project, graphs }: Generation): void {
    this.#options.log.write('INFO', loadedSentence(graphs, this.#hasLoaded));
    this.#hasLoaded = true;
    this.#watch?.logProblemsSoon(project, this.inherited);
  }

  /** Makes a generation the current one, and retires the previous one. */
  #replace(generation: Generation): void {
    const previous = this.#current;
    this.#current = generation;
    this.#deaths.noteLoaded();
    this.debugging.include(generation.runtimes);
    this.#watch?.includePackages(generation);
    previous?.retire();
    this.#state.set(readyState(generation));
    this.#fallAsleepWhenIdle(generation);
    const loadedAt = performance.now();
    this.#include(generation);
    void generation.exited.then((how) => {
      if (this.#current !== generation || this.#stopped) return;
      this.#current = undefined;
      // Processes of other languages finish their runs and then stop.
      generation.retire();
      this.#deaths.note(performance.now() - loadedAt);
      this.#options.log.write('ERROR', `The graph runtime ${how}. Restarting it.`);
      // If another generation is already being loaded, it will replace this one.
      if (this.#underWay === undefined) this.#loading = this.#reviveAfterPause();
    });
  }

  /** Remembers a generation until its processes have ended. */
  #include(generation: Generation): void {
    this.#generations.add(generation);
    void generation.gone.then(() => this.#generations.delete(generation));
  }

  #fallAsleepWhenIdle(generation: Generation): void {
    const { sleepAfterMs, log } = this.#options;
    this.#stayAwake();
    this.#stayAwake = whenIdle(generation, sleepAfterMs, () => {
      if (this.#current !== generation) return;
      this.#current = undefined;
      log.write('DEBUG', 'The graph runtime is idle and was stopped. It starts again when needed.');
      this.#state.set({ state: 'stopped' });
      generation.retire();
    });
  }

  /** Loads the graphs again: immediately if they had run steadily, otherwise after pauses that double. */
  async #reviveAfterPause(): Promise<void> {
    this.#state.set({ state: 'starting' });
    const attempt = this.#attempt;
    await new Promise((resolve) => setTimeout(resolve, this.#deaths.pauseMs));
    // If another load has started in the meantime, this one is not needed.
    if (attempt === this.#attempt) await this.#load();
  }

  /** Watches the sources, even those of an unreadable project, because the user will fix it next. */
  #watchSources(): void {
    this.#watch?.watch(this.#source.configPath, this.#project?.envFile);
  }

  #fail(error: unknown): void {
    this.#options.log.writeState(messageOf(error));
    this.#state.fail(error);
  }
}
