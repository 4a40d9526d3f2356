import type { DebugEvent, PausedAt } from '../../../contract/debugging.ts';
import { messageOf } from '../../../process/message-of.ts';
import { ConnectionClosedError } from '../../../runtime/protocol/connection.ts';
import type { RuntimeProcess } from '../process/runtime-process.ts';
import type { Language } from '../project/language.ts';

/** How long modules and nodes wait for a debugger that is about to attach. */
const ATTACH_MS = 30_000;

/** Another client is already debugging these processes. */
export class DebuggedAlreadyError extends Error {
  override readonly name = 'DebuggedAlreadyError';
}

/** No debugger is attached to this process. */
export class NotDebuggedError extends Error {
  override readonly name = 'NotDebuggedError';
}

/** A runtime process that can be debugged, and its language. */
interface Debuggable {
  readonly language: Language;
  readonly process: RuntimeProcess;
}

/** A process whose debugger is open. */
interface Debugged {
  readonly process: RuntimeProcess;
  /** Settles when the debugger has set its breakpoints, or is no longer waited for. */
  readonly attached: PromiseWithResolvers<void>;
  isAttached: boolean;
  paused: Paused | undefined;
}

/** A pause of a process. */
interface Paused {
  readonly at: PausedAt;
  readonly resumeClock: () => void;
}

/** A connected client with the processes that it debugs. */
interface Session {
  /** A folder with a debugpy, for Python environments that have none; may be empty. */
  readonly debugpy: string;
  readonly tell: (event: DebugEvent) => void;
  /** The debugged processes, by process ID. */
  readonly processes: Map<number, Debugged>;
}

/**
 * Connects a debugger to the processes of a deployment, and to those that start later. There is at most one debugger at a
 * time. While it pauses a process, the process's clock for time limits is stopped.
 */
export class Debugging {
  #session: Session | undefined;

  get isActive(): boolean {
    return this.#session !== undefined;
  }

  /** Where a process is paused, if one is. */
  get pausedAt(): PausedAt | undefined {
    for (const { paused } of this.#session?.processes.values() ?? []) if (paused) return paused.at;
    return undefined;
  }

  /**
   * Starts debugging the running processes and all later ones.
   * @param debugpy a folder with a debugpy, for Python environments that have none.
   * @returns a function that ends debugging: debuggers are detached, and their ports closed.
   * @throws DebuggedAlreadyError
   */
  start(running: readonly Debuggable[], tell: (event: DebugEvent) => void, debugpy = ''): () => void {
    if (this.#session !== undefined) {
      throw new DebuggedAlreadyError(
        'These graphs are being debugged in another window. Stop debugging there first.',
      );
    }
    const session: Session = { debugpy, tell, processes: new Map() };
    this.#session = session;
    this.include(running);
    return () => {
      if (this.#session !== session) return;
      this.#session = undefined;
      for (const debugged of session.processes.values()) release(debugged);
    };
  }

  /**
   * Includes processes that have already loaded their graphs; their next runs wait for the debugger. Python processes
   * can only be debugged from their start.
   */
  include(running: readonly Debuggable[]): void {
    for (const debuggable of running)
      if (debuggable.language === 'node') void this.#open({ ...debuggable, hasLoaded: true });
  }

  /** The options with which a Python process listens for a debugger before it does anything else. */
  get python(): { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> } {
    if (this.#session === undefined) return { args: [], env: {} };
    // Frozen modules of the standard library cannot be stepped into, and debugpy would warn in each process.
    return { args: ['-X', 'frozen_modules=off'], env: { AGENT_HARBOR_DEBUGPY: this.#session.debugpy } };
  }

  /** Opens the debugger of a new process, and waits until it is attached, so that it can stop while modules load. */
  async openAndWait(debuggable: Debuggable): Promise<void> {
    await this.#open({ ...debuggable, hasLoaded: false });
    await this.whenAttached(debuggable.process);
  }

  /**
   * A promise that runs of nodes wait for, because a debugger that is about to attach has not set its breakpoints yet.
   * @returns undefined when there is nothing to wait for.
   */
  whenAttached({ pid }: RuntimeProcess): Promise<void> | undefined {
    const debugged = pid === undefined ? undefined : this.#session?.processes.get(pid);
    return debugged === undefined || debugged.isAttached ? undefined : debugged.attached.promise;
  }

  /** Called when the debugger is attached to a process and has set its breakpoints. @throws NotDebuggedError */
  noteAttached(processId: number): void {
    this.#require(processId).attached.resolve();
  }

  /** Called when the debugger has paused a process. @throws NotDebuggedError */
  notePaused(processId: number, at: PausedAt): void {
    const debugged = this.#require(processId);
    // A pause may be reported without a report that the previous one has ended.
    const resumeClock = debugged.paused?.resumeClock ?? debugged.process.clock.stop();
    debugged.paused = { at, resumeClock };
  }

  /** Called when a process continues. @throws NotDebuggedError */
  noteResumed(processId: number): void {
    resume(this.#require(processId));
  }

  /** Opens the debugger of a process, and tells the client its address. */
  async #open({ language, process, hasLoaded }: Debuggable & { hasLoaded: boolean }): Promise<void> {
    const session = this.#session;
    const { pid } = process;
    if (session === undefined || pid === undefined || session.processes.has(pid)) return;
    const debugged = begin(process);
    session.processes.set(pid, debugged);
    void process.exited.then(() => forget(session, pid, debugged));
    try {
      const { address } = await process.connection.request('debugger.open', {});
      // A session that has ended in the meantime would never close the debugger.
      if (this.#session === session)
        session.tell({ type: 'process', process_id: pid, language, has_loaded: hasLoaded, address });
      else release(debugged);
    } catch (error) {
      forget(session, pid, debugged);
      if (error instanceof ConnectionClosedError) return;
      session.tell({ type: 'problem', message: messageOf(error) });
    }
  }

  #require(processId: number): Debugged {
    const debugged = this.#session?.processes.get(processId);
    if (debugged === undefined) {
      throw new NotDebuggedError(`Process ${processId} is not being debugged.`);
    }
    return debugged;
  }
}

/** Begins to wait for a debugger, for at most `ATTACH_MS`. */
function begin(process: RuntimeProcess): Debugged {
  const attached = Promise.withResolvers<void>();
  const debugged: Debugged = { process, attached, isAttached: false, paused: undefined };
  const timer = setTimeout(attached.resolve, ATTACH_MS);
  void attached.promise.then(() => {
    clearTimeout(timer);
    debugged.isAttached = true;
  });
  process.isDebugged = true;
  return debugged;
}

/** Ends the debugging of a process that has ended, or whose debugger could not be opened. */
function forget(session: Session, pid: number, { process, attached }: Debugged): void {
  session.processes.delete(pid);
  attached.resolve();
  process.isDebugged = false;
}

function resume(debugged: Debugged): void {
  debugged.paused?.resumeClock();
  debugged.paused = undefined;
}

/** Ends the debugging of a process that continues. */
function release(debugged: Debugged): void {
  const { process, attached } = debugged;
  attached.resolve();
  process.isDebugged = false;
  resume(debugged);
  process.connection.tell('debugger.close', {});
}
