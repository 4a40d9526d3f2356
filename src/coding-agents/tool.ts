import type { z } from 'zod';
import type { Workshop } from './workshop.ts';

/** The most that a tool does; clients ask a person before they call one that does more than read. */
export type Effect =
  /** Reads what is stored. */
  | 'reads'
  /** Runs the project's code without storing anything, and without a network. */
  | 'replays'
  /** Runs the project's code with its models and tools. */
  | 'runs';

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effect: Effect;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** @throws an error whose message is a sentence for the caller; the signal's reason when aborted */
  run(workshop: Workshop, input: unknown): Promise<Record<string, unknown>>;
}

/** A tool whose arguments and answer are what its schemas say. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Omit<Tool, 'run' | 'input' | 'output'> & {
    readonly input: Input;
    readonly output: Output;
    run(workshop: Workshop, input: z.output<Input>): Promise<z.input<Output>>;
  },
): Tool {
  return {
    ...tool,
    run: async (workshop, input) => tool.output.parse(await tool.run(workshop, tool.input.parse(input))),
  };
}
