import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { z } from 'zod';
import type { Client } from '../../client/client.ts';
import { DebugEvent, type PausedAt } from '../../contract/debugging.ts';
import type { FolderDeployments, OpenFolderDeployment } from '../deployments/folder-deployments.ts';
import { type ErrorReporter, sentenceOf } from '../dialogs/errors.ts';
import { whenBound } from './bound-breakpoints.ts';
import { debugsCode, processOfSession } from './debug-type.ts';
import { isOwnFile, PauseTracker } from './pause-tracker.ts';
import { type DebuggedProcess, debugpyOfExtension, processDebugger } from './process-debugger.ts';

const Request = z.looseObject({ seq: z.int(), type: z.literal('request'), command: z.string() });
type Request = z.output<typeof Request>;

const AttachArguments = z.looseObject({
  /** Absolute path of a langgraph.json. */
  config: z.string(),
  justMyCode: z.boolean().default(true),
  /** The graph that is going to be run. */
  graph: z.string().optional(),
});
const BreakpointArguments = z.looseObject({ breakpoints: z.array(z.unknown()).default([]) });

interface DebugAdapterParts {
  readonly session: vscode.DebugSession;
  readonly deployments: FolderDeployments;
  readonly errors: ErrorReporter;
}

/** The maximum wait for the debugger to attach: a Python process has to load its graphs again. */
const ATTACH_MS = 60_000;

/** How long a debugger gets to detach. */
const DETACH_MS = 2_000;

/** A session whose process is held at a breakpoint. */
interface Held {
  readonly session: vscode.DebugSession;
  readonly threadId: number;
}

/**
 * The debugger of a live deployment as VS Code sees it: one session, from when the user starts debugging
 * until they stop. It has no code of its own to stop in; each process of the deployment, also after a reload,
 * gets a session below it, with the debugger of its language.
 */
export class HarborDebugAdapter implements vscode.DebugAdapter {
  readonly #parts: DebugAdapterParts;
  readonly #messages = new vscode.EventEmitter<vscode.DebugProtocolMessage>();
  readonly #ended = new AbortController();
  /** The sessions that this session has started. */
  readonly #children = new Set<vscode.DebugSession>();
  /**
   * The sessions that are attached to code. VS Code's JavaScript debugger has them below a session of its
   * own.
   */
  readonly #attached = new Set<vscode.DebugSession>();
  /** The sessions whose process is held, by their IDs. */
  readonly #held = new Map<string, Held>();
  readonly #subscriptions: vscode.Disposable;
  readonly #paused = new vscode.EventEmitter<void>();
  /** By language: resolved once the debugger is attached to a process of the language. */
  readonly #attachments = new Map<DebuggedProcess['language'], PromiseWithResolvers<void>>();
  /** The processes that the server has announced, by their IDs. */
  readonly #processes = new Map<number, DebuggedProcess>();
  /** Attaches to the processes, once `initialize` has been answered. */
  #follow: (() => Promise<void>) | undefined;
  #opened:
    | {
        readonly client: Client;
        readonly deploymentId: string;
        readonly folder: string;
        readonly name: string;
      }
    | undefined;
  /** The reports to the server, which are sent one after the other. */
  #reports: Promise<unknown> = Promise.resolve();

  constructor(parts: DebugAdapterParts) {
    this.#parts = parts;
    this.#subscriptions = vscode.Disposable.from(
      this.#messages,
      this.#paused,
      vscode.debug.onDidTerminateDebugSession((session) => {
        this.#children.delete(session);
        this.#attached.delete(session);
        this.#held.delete(session.id);
      }),
    );
  }

  get onDidSendMessage(): vscode.Event<vscode.DebugProtocolMessage> {
    return this.#messages.event;
  }

  handleMessage(message: vscode.DebugProtocolMessage): void {
    const request = Request.safeParse(message);
    // This adapter sends no requests, so VS Code sends no responses.
    if (request.success) void this.#answer(request.data);
  }

  /** Watches a session below this one if it debugs a process. */
  track(session: vscode.DebugSession): vscode.DebugAdapterTracker | undefined {
    const processId = processOfSession(session)?.processId;
    if (processId === undefined || this.#opened === undefined) return undefined;
    return new PauseTracker({
      session,
      folder: this.#opened.folder,
      onAttached: () => {
        if (debugsCode(session)) void this.#reportAttached(session, processId);
      },
      onPause: (paused) => this.#notePause(processId, session, paused),
    });
  }

  /** Fires when a process is held. */
  get onDidPause(): vscode.Event<void> {
    return this.#paused.event;
  }

  /** Aborted when the session ends. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** The sessions that are attached to code. */
  get sessions(): ReadonlySet<vscode.DebugSession> {
    return this.#attached;
  }

  /**
   * Waits until the debugger is attached to a process of a language.
   * @throws Error if that takes too long, or the session ends before
   */
  async whenAttached(language: DebuggedProcess['language']): Promise<void> {
    const attached = this.#attachmentTo(language).promise.then(() => true);
    // The end of the session aborts the wait, which rejects.
    const failed = sleep(ATTACH_MS, false, { signal: this.#ended.signal }).catch(() => false);
    if (!(await Promise.race([attached, failed])))
      throw new Error(vscode.l10n.t('The debugger could not be attached.'));
  }

  /** Continues held processes, so that they can receive requests. */
  async resume(): Promise<void> {
    await Promise.all(
      [...this.#held.values()].map(({ session, threadId }) =>
        session.customRequest('continue', { threadId }),
      ),
    );
  }

  dispose(): void {
    this.#ended.abort();
    this.#subscriptions.dispose();
  }

  /** Returns the promise of an attachment, which may be made before or after the attachment. */
  #attachmentTo(language: DebuggedProcess['language']): PromiseWithResolvers<void> {
    const attachment = this.#attachments.get(language) ?? Promise.withResolvers<void>();
    this.#attachments.set(language, attachment);
    return attachment;
  }

  async #answer(request: Request): Promise<void> {
    try {
      const body = await this.#handle(request);
      this.#respond(request, { success: true, body });
      if (request.command === 'attach') this.#send({ type: 'event', event: 'initialized' });
    } catch (error) {
      this.#parts.errors.log(error, `debug, ${request.command}`);
      const format = sentenceOf(error).replaceAll(/[{}]/g, '');
      this.#respond(request, { success: false, body: { error: { id: 1, format, showUser: true } } });
    }
  }

  async #handle({ command, ...rest }: Request): Promise<object | undefined> {
    switch (command) {
      case 'initialize':
        // VS Code shows its toolbar after this response. Runs that begin from then on must wait for
        // breakpoints, so the server opens its debuggers first.
        this.#follow = await this.#open(AttachArguments.parse(this.#parts.session.configuration));
        return { supportsConfigurationDoneRequest: true };
      case 'attach':
        void this.#follow?.();
        return undefined;
      case 'setBreakpoints': {
        const { breakpoints } = BreakpointArguments.parse(rest.arguments);
        // The breakpoints that take effect are set by the debuggers of the processes.
        return { breakpoints: breakpoints.map(() => ({ verified: false })) };
      }
      case 'threads':
        return { threads: [] };
      case 'disconnect':
      case 'terminate':
        await this.#end();
        return undefined;
      default:
        return undefined;
    }
  }

  /**
   * Makes the server open its debuggers.
   * @returns a function that attaches to processes as they start, until the session ends
   */
  async #open({ config, justMyCode, graph }: z.output<typeof AttachArguments>): Promise<() => Promise<void>> {
    const { deployments } = this.#parts;
    const found = await deployments.find(config);
    if (found === undefined) throw new Error(vscode.l10n.t('There is no {0} in the open folder.', config));
    const opened = await deployments.openLoaded(found);
    if (graph !== undefined && !hasGraph(opened, graph))
      throw new Error(vscode.l10n.t('There is no graph {0} in {1}.', graph, config));
    const folder = path.dirname(config);
    const deploymentId = opened.live.deployment_id;
    this.#opened = { client: opened.client, deploymentId, folder, name: graph ?? opened.name };
    const debugpy = debugpyOfExtension();
    const stream = await opened.client.debugging
      .debug(
        { params: { deployment_id: deploymentId }, body: debugpy === undefined ? {} : { debugpy } },
        { signal: this.#ended.signal },
      )
      .catch((error: unknown) => Promise.reject(isConflict(error) ? debuggedElsewhere(opened.name) : error));
    return () =>
      this.#attachToAll(stream, opened, (process) => processDebugger(process, { folder, justMyCode }));
  }

  /** Attaches to each process that the server announces, until the stream or the session ends. */
  async #attachToAll(
    stream: AsyncIterable<{ readonly data: unknown }>,
    { name }: OpenFolderDeployment,
    debuggerOf: (process: DebuggedProcess) => vscode.DebugConfiguration,
  ): Promise<void> {
    try {
      for await (const { data } of stream) {
        const event = DebugEvent.parse(data);
        if (event.type === 'problem') throw new Error(event.message);
        const configuration = debuggerOf(event);
        this.#processes.set(event.process_id, event);
        // The stream continues meanwhile: another process may start before this one is attached.
        void this.#start(configuration, event.process_id);
      }
    } catch (error) {
      if (!this.#ended.signal.aborted) void this.#parts.errors.report(error, `debug ${name}`);
    }
    await this.#end();
  }

  /** Starts the session below this one that debugs a process. */
  async #start(configuration: vscode.DebugConfiguration, processId: number): Promise<void> {
    const { session, errors } = this.#parts;
    const subscription = vscode.debug.onDidStartDebugSession((started) => {
      if (started.parentSession?.id === session.id) this.#children.add(started);
    });
    try {
      const hasStarted = await vscode.debug.startDebugging(session.workspaceFolder, configuration, {
        parentSession: session,
        lifecycleManagedByParent: true,
        consoleMode: vscode.DebugConsoleMode.MergeWithParent,
        compact: true,
        suppressSaveBeforeStart: true,
      });
      // The user may have disconnected in the meantime, when the new session could not be stopped yet.
      if (this.#ended.signal.aborted) await this.#detachChildren();
      if (hasStarted) return;
    } catch (error) {
      void errors.report(error, 'debug');
    } finally {
      subscription.dispose();
    }
    // Otherwise runs would wait for a debugger that never attaches.
    this.#tell(processId, { state: 'attached' });
  }

  /** Reports that a process is debugged, once its breakpoints are bound, because its runs wait until then. */
  async #reportAttached(session: vscode.DebugSession, processId: number): Promise<void> {
    const isFirst = this.#sessionsOf(processId).length === 0;
    this.#attached.add(session);
    // The worker threads of a Node process get sessions too, even those that start later.
    if (!isFirst) return;
    // The debuggers of the languages name their sessions after the process.
    if (this.#opened !== undefined) session.name = this.#opened.name;
    const process = this.#processes.get(processId);
    // Before modules are loaded, no breakpoint can be bound, and loading them waits for this report too.
    if (process?.has_loaded === true) {
      const unbound = await whenBound(this.#breakpoints(), () => this.#sessionsOf(processId));
      for (const breakpoint of unbound) this.#reportUnbound(breakpoint);
    }
    this.#tell(processId, { state: 'attached' });
    if (process !== undefined) this.#attachmentTo(process.language).resolve();
  }

  /** Explains an unbound breakpoint in the debug console, because VS Code itself only grays it out. */
  #reportUnbound({ location: { uri, range } }: vscode.SourceBreakpoint): void {
    const place = `${path.basename(uri.fsPath)}:${range.start.line + 1}`;
    const sentence = vscode.l10n.t(
      'The breakpoint at {0} is not bound, because no loaded code comes from there. If the graph is loaded from compiled files, compile them with source maps that lead to this file.',
      place,
    );
    this.#send({ type: 'event', event: 'output', body: { category: 'console', output: `${sentence}\n` } });
  }

  #sessionsOf(processId: number): vscode.DebugSession[] {
    return [...this.#attached].filter((session) => processOfSession(session)?.processId === processId);
  }

  /** The breakpoints in the project's own sources. */
  #breakpoints(): vscode.SourceBreakpoint[] {
    const folder = this.#opened?.folder;
    if (folder === undefined) return [];
    return vscode.debug.breakpoints
      .filter((breakpoint) => breakpoint instanceof vscode.SourceBreakpoint)
      .filter(({ enabled, location }) => enabled && isOwnFile(folder, location.uri.fsPath));
  }

  /**
   * Ends the session. The debuggers detach first, so that held processes continue; then the server closes
   * the ports.
   */
  async #end(): Promise<void> {
    if (this.#ended.signal.aborted) return;
    await this.#detachChildren();
    this.#ended.abort();
    this.#send({ type: 'event', event: 'terminated' });
  }

  async #detachChildren(): Promise<void> {
    await Promise.allSettled([...this.#children].map(detach));
  }

  /** Notes and reports whether a session holds its process. @param paused undefined when it has continued */
  #notePause(
    processId: number,
    session: vscode.DebugSession,
    paused: { readonly threadId: number; readonly at: PausedAt } | undefined,
  ): void {
    if (paused === undefined) this.#held.delete(session.id);
    else this.#held.set(session.id, { session, threadId: paused.threadId });
    const isHeld = [...this.#held.values()].some(
      (held) => processOfSession(held.session)?.processId === processId,
    );
    if (paused !== undefined) {
      this.#paused.fire();
      this.#tell(processId, { state: 'paused', at: paused.at });
    } else if (!isHeld) this.#tell(processId, { state: 'running' });
  }

  /** Reports the state of a process to the server, after earlier reports. */
  #tell(
    process_id: number,
    body: { state: 'attached' } | { state: 'running' } | { state: 'paused'; at: PausedAt },
  ): void {
    if (this.#opened === undefined || this.#ended.signal.aborted) return;
    const { client, deploymentId: deployment_id } = this.#opened;
    this.#reports = this.#reports
      .then(() => client.debugging.tellDebugged({ params: { deployment_id, process_id }, body }))
      .catch((error) => this.#parts.errors.log(error, 'debug, tell the server'));
  }

  #respond({ seq, command }: Request, answer: { success: boolean; body?: object | undefined }): void {
    this.#send({ type: 'response', request_seq: seq, command, ...answer });
  }

  #send(message: object): void {
    this.#messages.fire({ seq: 0, ...message });
  }
}

/** Detaches from a process. */
async function detach(session: vscode.DebugSession): Promise<void> {
  // VS Code would only ask the parent session, which is ending, so the debugger is asked directly.
  const detached = session.customRequest('disconnect', { terminateDebuggee: false });
  await Promise.race([Promise.allSettled([detached]), sleep(DETACH_MS, undefined, { ref: false })]);
  // A session that started after its parent had ended does not end by itself.
  await vscode.debug.stopDebugging(session);
}

function hasGraph({ live: { runtime } }: OpenFolderDeployment, graph: string): boolean {
  // If the graphs have not loaded, their names are unknown, so none is refused.
  return runtime.state !== 'ready' || runtime.graphs.some(({ graph_id }) => graph_id === graph);
}

function isConflict(error: unknown): boolean {
  return error instanceof Error && 'status' in error && error.status === 409;
}

/** The error when another window is debugging the deployment, which can have one debugger at a time. */
function debuggedElsewhere(name: string): Error {
  return new Error(
    vscode.l10n.t('{0} is being debugged in another window. Stop debugging there first.', name),
  );
}
