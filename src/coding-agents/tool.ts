import type { z } from 'zod';
import type { ProjectToolContext, ToolContext } from './tool-context.ts';

/** The most that a tool does; clients ask a person before they call one that does more than read. */
export type Effect =
  /** Reads what is stored. */
  | 'reads'
  /** Runs the project's code without storing anything, and without a network. */
  | 'replays'
  /** Runs the project's code with its models and tools. */
  | 'runs';

/** @typeParam Needs the context that it needs */
export interface Tool<Needs extends ToolContext> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effect: Effect;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** @throws an error whose message is a sentence for the caller; the signal's reason when aborted */
  readonly run: (context: Needs, input: unknown) => Promise<Record<string, unknown>>;
}

type Definition<Needs extends ToolContext, Input extends z.ZodObject, Output extends z.ZodObject> = Omit<
  Tool<Needs>,
  'run' | 'input' | 'output'
> & {
  readonly input: Input;
  readonly output: Output;
  readonly run: (context: Needs, input: z.output<Input>) => Promise<z.input<Output>>;
};

/** A tool that works wherever there is a platform. Its arguments and answer are what its schemas say. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Definition<ToolContext, Input, Output>,
): Tool<ToolContext> {
  return parsed(tool);
}

/** Defines a tool that needs the folder of the project. */
export function defineProjectTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Definition<ProjectToolContext, Input, Output>,
): Tool<ProjectToolContext> {
  return parsed(tool);
}

function parsed<Needs extends ToolContext, Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Definition<Needs, Input, Output>,
): Tool<Needs> {
  return {
    ...tool,
    run: async (context, input) => tool.output.parse(await tool.run(context, tool.input.parse(input))),
  };
}
