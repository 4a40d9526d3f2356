import inspector from 'node:inspector';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import type { BlockingCall } from '../protocol/protocol.ts';
import { sourceOf } from './source-locations.ts';

const BEAT_MS = 100;
/** A loop that is held for longer keeps streams and other runs waiting noticeably. */
const HELD_MS = 250;
/** Looking at a stack takes time itself. */
const MAX_LOOKS = 50;

/** Plain JavaScript, because a worker thread shares no code. It looks at the main thread's stack once per hold. */
const LOOK = `
  const { parentPort, workerData: { beats, beatMs, heldMs, maxLooks } } = require('node:worker_threads');
  const { Session } = require('node:inspector');
  let last = -1, since = 0, hasLooked = false, looks = 0;
  const check = () => {
    const beat = Atomics.load(beats, 0);
    if (beat !== last) { last = beat; since = performance.now(); hasLooked = false; return; }
    // Between runs, and while a debugger may hold the process, nothing is held by code.
    if (hasLooked || Atomics.load(beats, 1) === 0 || performance.now() - since < heldMs || looks >= maxLooks) return;
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
      // It has gone on meanwhile: this is not what held it.
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

const Frames = z.array(
  z.object({
    url: z.string(),
    functionName: z.string(),
    line: z.int(),
    column: z.int(),
    sourceMapUrl: z.string().optional(),
  }),
);

/**
 * Notices user code that holds up the event loop while runs are active, and reports each such line once. The
 * first hold is only noticed; a thread that can look at the stack, which takes memory, is there from then on.
 */
export class LoopWatch {
  readonly #tell: (message: string, call: BlockingCall) => void;
  /** A count of the loop's turns, and whether they mean anything now. */
  readonly #beats = new Int32Array(new SharedArrayBuffer(8));
  readonly #told = new Set<string>();
  #active = 0;
  #timer: NodeJS.Timeout | undefined;
  #worker: Worker | undefined;
  #isDebugged = false;
  #beatAt = 0;

  constructor(tell: (message: string, call: BlockingCall) => void) {
    this.#tell = tell;
  }

  /** Watches while this work is going. */
  during<Result>(work: Promise<Result>): Promise<Result> {
    this.#active++;
    this.#follow();
    return work.finally(() => {
      this.#active--;
      this.#follow();
    });
  }

  /** While a debugger is attached it may hold the process, and nobody else may look at its stack. */
  set isDebugged(isDebugged: boolean) {
    this.#isDebugged = isDebugged;
    this.#follow();
  }

  #follow(): void {
    const isWatching = this.#active > 0 && !this.#isDebugged && inspector.url() === undefined;
    Atomics.store(this.#beats, 1, isWatching ? 1 : 0);
    // A run that begins is a turn.
    Atomics.add(this.#beats, 0, 1);
    if (isWatching === (this.#timer !== undefined)) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    // What held the loop last may have been the end of the last run.
    if (!isWatching) this.#measure();
    else {
      this.#beatAt = performance.now();
      this.#timer = setInterval(() => this.#beat(), BEAT_MS).unref();
    }
  }

  #beat(): void {
    Atomics.add(this.#beats, 0, 1);
    this.#measure();
    this.#beatAt = performance.now();
  }

  #measure(): void {
    if (!this.#isDebugged && performance.now() - this.#beatAt > BEAT_MS + HELD_MS) this.#look();
  }

  #look(): void {
    if (this.#worker !== undefined) return;
    const workerData = { beats: this.#beats, beatMs: BEAT_MS, heldMs: HELD_MS, maxLooks: MAX_LOOKS };
    // Without the user's NODE_OPTIONS, whose loaders and hooks are for the graphs.
    const worker = new Worker(LOOK, { eval: true, workerData, env: {}, execArgv: [] });
    worker.unref();
    worker.on('message', (frames: unknown) => this.#found(Frames.parse(frames)));
    // A Node whose threads cannot look at the main one: nothing is told.
    worker.on('error', () => {});
    this.#worker = worker;
  }

  #found(frames: z.output<typeof Frames>): void {
    for (const { url, functionName, line, column, sourceMapUrl } of frames) {
      const place = sourceOf(url, sourceMapUrl, line, column);
      if (place === undefined) continue;
      const key = `${place.file}:${place.line}`;
      if (this.#told.has(key)) return;
      this.#told.add(key);
      const name = functionName === '' ? 'This function' : `'${functionName}'`;
      const advice = `${name} blocks the event loop, which delays all other runs and streams. Await an asynchronous call, or compute in a worker thread.`;
      this.#tell(`${key}: ${advice}`, { file: place.file, line: place.line, advice });
      return;
    }
  }
}
