import type { Children } from './children.ts';
import { HttpClient } from './http-client.ts';
import { freePort } from './server.ts';
import type { RunningSubject, Subject, SubjectName } from './subject.ts';

/** A subject that can be measured: what it needs is installed. */
export interface Prepared {
  readonly subject: Subject;
  readonly project: string;
}

/** A running server with a client of its own. */
export interface Target {
  readonly name: SubjectName;
  readonly server: RunningSubject;
  readonly client: HttpClient;
  stop(): Promise<void>;
}

export interface BenchOptions {
  readonly subjects: readonly Prepared[];
  /** How often each subject has its turn. */
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
   * Starts all subjects, warms each up, then gives each its turn, round after round, so that a noisy moment
   * of the machine hits them alike.
   */
  async takeTurns(turns: { warmUp: Turn; turn: Turn }): Promise<void> {
    const targets: Target[] = [];
    try {
      await this.eachSubject(async (prepared) => {
        targets.push(await this.start(prepared));
      });
      for (const target of targets) await this.#attempt(target.name, () => turns.warmUp(target));
      for (let round = 0; round < this.rounds; round++) {
        for (const target of rotated(targets, round))
          await this.#attempt(target.name, () => turns.turn(target));
      }
    } finally {
      await Promise.all(targets.map((target) => target.stop()));
    }
  }

  /** Does something for one subject after the other; `round` moves the one that begins. */
  async eachSubject(work: (prepared: Prepared) => Promise<void>, round = 0): Promise<void> {
    for (const prepared of rotated(this.subjects, round)) {
      await this.#attempt(prepared.subject.name, () => work(prepared));
    }
  }

  /** A subject that fails is reported, and left out of the rest of the measurement. */
  async #attempt(name: SubjectName, work: () => Promise<void>): Promise<void> {
    if (this.failures.has(name)) return;
    try {
      await work();
    } catch (error) {
      this.failures.set(name, error instanceof Error ? error.message : String(error));
    }
  }
}

export type Turn = (target: Target) => Promise<void>;

/** The order rotates by one per round. */
function rotated<T>(items: readonly T[], by: number): T[] {
  const start = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}
