import type { Children } from './children.ts';

/** Subjects: this project without and with its traces, another version of it, its peer, and three floors. */
export const subjectNames = [
  'ours',
  'ours-traced',
  'before',
  'peer',
  'floor-durable',
  'floor-graph',
  'floor-http',
] as const;

export type SubjectName = (typeof subjectNames)[number];

/** Floors keep no threads that could be searched, and traces do not affect them. */
export function hasThreads(name: SubjectName): boolean {
  return name === 'ours' || name === 'before' || name === 'peer';
}

export interface StartOptions {
  /** A free port on 127.0.0.1. */
  readonly port: number;
  /** Starts the processes; none of them outlives the benchmark. */
  readonly children: Children;
}

/** A server that has answered `GET /ok` with 200. */
export interface RunningSubject {
  readonly url: string;
  /** When the first process was requested, in nanoseconds of `process.hrtime`. */
  readonly spawnedAt: bigint;
  /** When the first 200 arrived, on the same clock. */
  readonly answeredAt: bigint;
  /** The ids of all its current processes. */
  pids(): Promise<number[]>;
  /** Ends all its processes and removes what they left on disk. */
  stop(): Promise<void>;
}

export interface Subject {
  readonly name: SubjectName;
  /**
   * Installs or finds what the subject needs.
   *
   * @returns the folder of the graph project it serves
   * @throws an Error whose message is the one line that says why the subject is left out
   */
  prepare(): Promise<string>;
  /** Starts the server on the graphs of `graphProject`, with its default settings. */
  start(graphProject: string, options: StartOptions): Promise<RunningSubject>;
}
