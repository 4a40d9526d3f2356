import type { Client } from '@langchain/langgraph-sdk';

export interface SteadyClients {
  /** Ends when each has its last answer. */
  stop(): Promise<{
    readonly answered: number;
    readonly failures: readonly unknown[];
    readonly greetings: ReadonlySet<string>;
  }>;
}

/** Clients that run the graph `slow` without a break, as fast as they are answered. */
export function clientsOf(sdk: Client, count: number): SteadyClients {
  let stopped = false;
  let answered = 0;
  const failures: unknown[] = [];
  const greetings = new Set<string>();
  const client = async () => {
    while (!stopped) {
      try {
        const values = (await sdk.runs.wait(null, 'slow', { input: { ticks: 0 } })) as { greeting?: string };
        if (values.greeting === undefined)
          throw new Error(`an answer without a greeting: ${JSON.stringify(values)}`);
        greetings.add(values.greeting);
        answered++;
      } catch (error) {
        failures.push(error);
      }
    }
  };
  const all = Array.from({ length: count }, client);
  return {
    async stop() {
      stopped = true;
      await Promise.all(all);
      return { answered, failures, greetings };
    },
  };
}
