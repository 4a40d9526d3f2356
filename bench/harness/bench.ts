import type { Children } from './children.ts';
import { HttpClient } from './http-client.ts';
import { freePort } from './server.ts';
import type { RunningSubject, Subject, SubjectName } from './subject.ts';

/** A subject that is ready to be measured: everything that it needs is installed. */
export interface Prepared {
  readonly subject: Subject;
  readonly project: string;
}

/** A running server with its own client. */
export interface Target {
  readonly name: SubjectName;
  readonly server: RunningSubject;
  readonly client: HttpClient;
  stop(): Promise<void>;
}

export interface BenchOptions {
  readonly subjects: readonly Prepared[];
  /** The number of turns of each subject. */
  readonly rounds: number;
  readonly children: Children;
}

/** The context of a measurement: servers, turns, and reporting failed subjects. */
export class Bench {
  readonly subjects: readonly Prepared[];
  readonly rounds: number;
  readonly failures = new Map<SubjectName, string>();
  readonly #children: Children;

  constructor({ subjects, rounds, children }: BenchOptions) {
    this.subjects = subjects;
    this.rounds = rounds;
    this.#children = children;
  }

  async start({ subject, project }: Prepared): Promise<Target> {
    const server = await subject.start(project, { port: await freePort(), children: this.#children });
    const client = new HttpClient(server.url);
    const stop = async () => {
      await client.close();
      await server.stop();
    };
    return { name: subject.name, server, client, stop };
  }

  /**
   * Starts all subjects, warms them up, then gives each its turn, round after round, so that a noisy moment of the
   * machine affects them alike. They warm up in turns too: a server that rests for three seconds gives memory back, and
   * with it code that V8 had optimized, which makes its next hundred runs slower.
   */
  async takeTurns({ warmUp, warmUps = 1, turn }: Turns): Promise<void> {
    const targets: Target[] = [];
    try {
      await this.eachSubject(async (prepared) => {
        targets.push(await this.start(prepared));
      });
      await this.#takeRounds(targets, warmUps, warmUp);
      await this.#takeRounds(targets, this.rounds, turn);
    } finally {
      await Promise.all(targets.map((target) => target.stop()));
    }
  }

  async #takeRounds(targets: readonly Target[], rounds: number, turn: Turn): Promise<void> {
    for (let round = 0; round < rounds; round++) {
      for (const target of rotated(targets, round)) await this.#attempt(target.name, () => turn(target));
    }
  }

  /** Runs an action for one subject after the other; `round` selects the first one. */
  async eachSubject(work: (prepared: Prepared) => Promise<void>, round = 0): Promise<void> {
    for (const prepared of rotated(this.subjects, round)) {
      await this.#attempt(prepared.subject.name, () => work(prepared));
    }
  }

  /** A subject that fails is reported, and left out of the rest of the measurement. */
  async #attempt(name: SubjectName, work: () => Promise<unknown>): Promise<void> {
    if (this.failures.has(name)) return;
    try {
      await work();
    } catch (error) {
      this.failures.set(name, error instanceof Error ? error.message : String(error));
    }
  }
}

export type Turn = (target: Target) => Promise<unknown>;

/** The work of a subject in its turn. */
export interface Turns {
  readonly warmUp: Turn;
  /** The number of warm-ups of each, 1 by default. */
  readonly warmUps?: number;
  readonly turn: Turn;
}

/** The order rotates by one per round. */
function rotated<T>(items: readonly T[], by: number): T[] {
  const start = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}
