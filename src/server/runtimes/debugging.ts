import type { DebugEvent, PausedAt } from '../../contract/debugging.ts';
import { ConnectionClosedError } from '../../runtime/protocol/connection.ts';
import type { Language } from './language.ts';
import type { RuntimeProcess } from './runtime-process.ts';

/** How long a new process waits for the debugger before it loads its graphs. */
const ATTACH_MS = 10_000;

/** Somebody else debugs these processes. */
export class DebuggedAlreadyError extends Error {
  override readonly name = 'DebuggedAlreadyError';
}

/** No debugger is attached to this process. */
export class NotDebuggedError extends Error {
  override readonly name = 'NotDebuggedError';
}

/** A process of a language, as a debugger sees it. */
export interface Debuggable {
  readonly language: Language;
  readonly process: RuntimeProcess;
}

interface Debugged {
  readonly process: RuntimeProcess;
  readonly attached: PromiseWithResolvers<void>;
  pausedAt: PausedAt | undefined;
}

interface Session {
  readonly debugpy: string;
  readonly tell: (event: DebugEvent) => void;
  readonly processes: Map<number, Debugged>;
}

/**
 * The debugger of a deployment's processes: at most one at a time, informed of each process, including later ones.
 * While it holds a process, the process's clock is stopped.
 */
export class Debugging {
  #session: Session | undefined;

  get isActive(): boolean {
    return this.#session !== undefined;
  }

  /** Where a process is held, if one is. */
  get pausedAt(): PausedAt | undefined {
    for (const { pausedAt } of this.#session?.processes.values() ?? []) if (pausedAt) return pausedAt;
    return undefined;
  }

  /**
   * Begins to debug what runs and what will be started.
   * @param debugpy a folder with a debugpy, for Python environments that have none.
   * @returns ends it: whoever is attached is detached, and the debuggers' ports refuse.
   * @throws DebuggedAlreadyError
   */
  start(running: readonly Debuggable[], tell: (event: DebugEvent) => void, debugpy = ''): () => void {
    if (this.#session !== undefined) {
      throw new DebuggedAlreadyError('Another window is debugging these graphs. End that session first.');
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

  /** These run already: the debugger may attach when it likes. Python's can only be debugged from their start. */
  include(running: readonly Debuggable[]): void {
    for (const debuggable of running) if (debuggable.language === 'node') void this.#open(debuggable);
  }

  /** How a process of Python listens for a debugger before it does anything else. */
  get python(): { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> } {
    if (this.#session === undefined) return { args: [], env: {} };
    // Frozen modules of the standard library could not be stepped into, and debugpy warns of each process.
    return { args: ['-X', 'frozen_modules=off'], env: { AGENT_HARBOR_DEBUGPY: this.#session.debugpy } };
  }

  /** Has a new process wait for the debugger, if there is one, so that it can stop while modules are loaded. */
  async await(debuggable: Debuggable): Promise<void> {
    const debugged = await this.#open(debuggable);
    if (debugged === undefined) return;
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ATTACH_MS);
    });
    await Promise.race([debugged.attached.promise, patience, debugged.process.exited]);
    clearTimeout(timer);
  }

  /** The debugger is attached to a process. @throws NotDebuggedError */
  attached(processId: number): void {
    this.#require(processId).attached.resolve();
  }

  /** The debugger holds a process. @throws NotDebuggedError */
  paused(processId: number, at: PausedAt): void {
    const debugged = this.#require(processId);
    debugged.pausedAt = at;
    debugged.process.clock.stop();
  }

  /** A process continues. @throws NotDebuggedError */
  goesOn(processId: number): void {
    const debugged = this.#require(processId);
    debugged.pausedAt = undefined;
    debugged.process.clock.resume();
  }

  async #open({ language, process }: Debuggable): Promise<Debugged | undefined> {
    const session = this.#session;
    const { pid } = process;
    if (session === undefined || pid === undefined || session.processes.has(pid)) return undefined;
    const debugged: Debugged = { process, attached: Promise.withResolvers(), pausedAt: undefined };
    session.processes.set(pid, debugged);
    process.isDebugged = true;
    void process.exited.then(() => session.processes.delete(pid));
    try {
      const { address } = await process.connection.request('debugger.open', {});
      // It may have ended meanwhile, and then nobody would close it.
      if (this.#session === session) session.tell({ type: 'process', process_id: pid, language, address });
      else release(debugged);
      return debugged;
    } catch (error) {
      session.processes.delete(pid);
      process.isDebugged = false;
      if (error instanceof ConnectionClosedError) return undefined;
      session.tell({ type: 'problem', message: error instanceof Error ? error.message : String(error) });
      return undefined;
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

function release({ process, attached }: Debugged): void {
  attached.resolve();
  process.isDebugged = false;
  process.clock.resume();
  process.connection.request('debugger.close', {}).catch(() => {});
}
