import type { Client } from '@langchain/langgraph-sdk';

export interface SteadyClients<Answer> extends AsyncDisposable {
  /** Ends once each client has its last answer. */
  stop(): Promise<{ readonly answers: readonly Answer[]; readonly failures: readonly unknown[] }>;
}

/** Clients that send requests without pauses, as fast as they are answered. */
export function steadyClients<Answer>(count: number, ask: () => Promise<Answer>): SteadyClients<Answer> {
  let stopped = false;
  const answers: Answer[] = [];
  const failures: unknown[] = [];
  const client = async () => {
    while (!stopped) {
      try {
        answers.push(await ask());
      } catch (error) {
        failures.push(error);
      }
    }
  };
  const all = Array.from({ length: count }, client);
  const stop = async () => {
    stopped = true;
    await Promise.all(all);
    return { answers, failures };
  };
  return {
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
    },
  };
}

/** Clients that run the graph `slow`, and collect its greetings. */
export function clientsOf(sdk: Client, count: number): SteadyClients<string> {
  return steadyClients(count, async () => {
    const values = (await sdk.runs.wait(null, 'slow', { input: { ticks: 0 } })) as { greeting?: string };
    if (values.greeting === undefined)
      throw new Error(`an answer without a greeting: ${JSON.stringify(values)}`);
    return values.greeting;
  });
}
