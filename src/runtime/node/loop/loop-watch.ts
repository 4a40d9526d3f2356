import inspector from 'node:inspector';
import { Worker } from 'node:worker_threads';
import { isObject } from '../../../process/objects.ts';
import type { BlockingCall } from '../../protocol/protocol.ts';
import { sourceOf } from '../errors/source-locations.ts';
import { heldMsBetween, type LoopTime, readLoopTime, recentLoopTime } from './loop-time.ts';

const BEAT_MS = 100;
/** Longer blocks of the event loop are reported, because they delay streams and other runs noticeably. */
const HELD_MS = 250;
/** The maximum number of stacks to read, because reading one takes time itself. */
const MAX_LOOKS = 50;

/**
 * The code of the worker thread, which reads the main thread's stack once per block. It is plain JavaScript,
 * because it shares no code with the bundle.
 */
const LOOK = `
  const { readFileSync } = require('node:fs');
  const { parentPort, workerData: { beats, beatMs, heldMs, maxLooks } } = require('node:worker_threads');
  const { Session } = require('node:inspector');
  let last = -1, since, hasLooked = false, looks = 0;
  // Times of the main thread in ms. On a busy machine, code also waits for a CPU, which is not the fault of
  // its line. This thread waits as well, so the moment of a measurement is only known to be between two
  // readings of the clock.
  const measure = () => {
    const began = performance.now();
    try {
      const stat = readFileSync('/proc/self/stat', 'latin1');
      const [ran, waited] = readFileSync('/proc/self/schedstat', 'utf8').split(' ').map((ns) => Number(ns) / 1e6);
      return { began, ended: performance.now(), ran, waited, isRunnable: stat[stat.lastIndexOf(')') + 2] === 'R' };
    } catch {
      return { began, ended: began }; // Only Linux has these files.
    }
  };
  const heldMsSince = (then, now) => {
    const elapsed = now.began - then.ended;
    if (now.ran === undefined) return elapsed;
    // The system has not counted the current wait for a CPU yet.
    return now.isRunnable ? now.ran - then.ran : elapsed - (now.waited - then.waited);
  };
  const check = () => {
    const beat = Atomics.load(beats, 0);
    if (beat !== last) { last = beat; since = measure(); hasLooked = false; return; }
    // The main thread has turned the watch off, or the block has been reported.
    if (hasLooked || Atomics.load(beats, 1) === 0 || looks >= maxLooks) return;
    if (heldMsSince(since, measure()) < heldMs) return;
    hasLooked = true;
    looks++;
    look();
  };
  const look = () => {
    const session = new Session();
    session.connectToMainThread();
    const scripts = new Map();
    session.on('Debugger.scriptParsed', ({ params }) => scripts.set(params.scriptId, params));
    session.once('Debugger.paused', ({ params }) => {
      session.post('Debugger.resume');
      session.disconnect();
      // The loop has moved on, so this stack is not the cause.
      if (Atomics.load(beats, 0) !== last) return;
      parentPort.postMessage(params.callFrames.map(({ functionName, location }) => {
        const { url = '', sourceMapURL } = scripts.get(location.scriptId) ?? {};
        const { lineNumber: line, columnNumber: column = 0 } = location;
        return { url, functionName, line, column, sourceMapUrl: sourceMapURL || undefined };
      }));
    });
    session.post('Debugger.enable');
    session.post('Debugger.pause');
  };
  setInterval(check, beatMs);
`;

/** A call on the main thread's stack; line and column are those of the loaded code, counted from 0. */
interface Frame {
  readonly url: string;
  readonly functionName: string;
  readonly line: number;
  readonly column: number;
  readonly sourceMapUrl: string | undefined;
}

/**
 * Reads a message of the worker thread. It is checked by hand, because zod would be most of the code that a
 * runtime loads.
 */
function readFrames(message: unknown): Frame[] {
  if (!Array.isArray(message)) return [];
  return message.flatMap((frame: unknown) => {
    if (!isObject(frame)) return [];
    const { url, functionName, line, column, sourceMapUrl } = frame;
    if (typeof url !== 'string' || typeof functionName !== 'string') return [];
    if (typeof line !== 'number' || typeof column !== 'number') return [];
    return [
      {
        url,
        functionName,
        line,
        column,
        sourceMapUrl: typeof sourceMapUrl === 'string' ? sourceMapUrl : undefined,
      },
    ];
  });
}

/**
 * Finds lines of user code that block the event loop while runs are active, and reports each line once. The
 * thread that reads stacks needs memory, so it is started at the first block.
 */
export class LoopWatch {
  readonly #warn: (message: string, call: BlockingCall) => void;
  /** The number of ticks of the timer below, and whether the timer is running. */
  readonly #beats = new Int32Array(new SharedArrayBuffer(8));
  readonly #reported = new Set<string>();
  #active = 0;
  #timer: NodeJS.Timeout | undefined;
  #worker: Worker | undefined;
  #isDebugged = false;
  #last: LoopTime | undefined;

  constructor(warn: (message: string, call: BlockingCall) => void) {
    this.#warn = warn;
  }

  /** Watches while this work is in progress. */
  during<Result>(work: Promise<Result>): Promise<Result> {
    this.#active++;
    this.#follow();
    return work.finally(() => {
      this.#active--;
      this.#follow();
    });
  }

  /** An attached debugger may hold the process, and then nothing else can inspect its stack. */
  set isDebugged(isDebugged: boolean) {
    this.#isDebugged = isDebugged;
    this.#follow();
  }

  #follow(): void {
    const isWatching = this.#active > 0 && !this.#isDebugged && inspector.url() === undefined;
    Atomics.store(this.#beats, 1, isWatching ? 1 : 0);
    // This counts as a tick, so that the time before it is not taken for a block.
    Atomics.add(this.#beats, 0, 1);
    if (isWatching === (this.#timer !== undefined)) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    // The loop may have been blocked at the end of the last run.
    if (!isWatching) this.#measure();
    else {
      this.#last = recentLoopTime(this.#last, BEAT_MS);
      this.#timer = setInterval(() => this.#beat(), BEAT_MS).unref();
    }
  }

  #beat(): void {
    Atomics.add(this.#beats, 0, 1);
    this.#measure();
    this.#last = readLoopTime();
  }

  #measure(): void {
    if (this.#isDebugged || this.#last === undefined || this.#worker !== undefined) return;
    // Usually the clock alone shows that nothing was blocked, and reading from the system may take longer
    // than a short run.
    if (performance.now() - this.#last.at <= BEAT_MS + HELD_MS) return;
    if (heldMsBetween(this.#last, readLoopTime()) > BEAT_MS + HELD_MS) this.#startWorker();
  }

  #startWorker(): void {
    const workerData = { beats: this.#beats, beatMs: BEAT_MS, heldMs: HELD_MS, maxLooks: MAX_LOOKS };
    // The worker starts without the user's NODE_OPTIONS, whose loaders and hooks are for the graphs.
    const worker = new Worker(LOOK, { eval: true, workerData, env: {}, execArgv: [] });
    worker.unref();
    worker.on('message', (frames: unknown) => this.#report(readFrames(frames)));
    // If this Node cannot inspect its main thread, nothing is reported.
    worker.on('error', () => {});
    this.#worker = worker;
  }

  #report(frames: readonly Frame[]): void {
    for (const { url, functionName, line, column, sourceMapUrl } of frames) {
      const place = sourceOf(url, sourceMapUrl, line, column);
      if (place === undefined) continue;
      const key = `${place.file}:${place.line}`;
      if (this.#reported.has(key)) return;
      this.#reported.add(key);
      const name = functionName === '' ? 'This function' : `'${functionName}'`;
      const advice = `${name} blocks the event loop, which delays all other runs and streams. Await an asynchronous call, or compute in a worker thread.`;
      this.#warn(`${key}: ${advice}`, { file: place.file, line: place.line, advice });
      return;
    }
  }
}
