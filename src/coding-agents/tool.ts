import type { z } from 'zod';
import type { ProjectToolContext, ToolContext } from './tool-context.ts';

/** The strongest effect of a tool. MCP clients may ask a person before they call a tool that `runs`. */
export type Effect =
  /** Reads what is stored. */
  | 'reads'
  /** Runs the project's code without storing anything, and without a network. */
  | 'replays'
  /** Runs the project's code with its models and tools. */
  | 'runs';

/** A tool for coding agents. @typeParam Needs the context that it runs with */
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

/** A tool whose `run` gets and returns the types of its schemas. */
type Definition<Needs extends ToolContext, Input extends z.ZodObject, Output extends z.ZodObject> = Omit<
  Tool<Needs>,
  'run' | 'input' | 'output'
> & {
  readonly input: Input;
  readonly output: Output;
  readonly run: (context: Needs, input: z.output<Input>) => Promise<z.input<Output>>;
};

/** Defines a tool that needs only a platform. Arguments and answers are checked with its schemas. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Definition<ToolContext, Input, Output>,
): Tool<ToolContext> {
  return withParsing(tool);
}

/** Defines a tool that needs the folder of the project. */
export function defineProjectTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Definition<ProjectToolContext, Input, Output>,
): Tool<ProjectToolContext> {
  return withParsing(tool);
}

function withParsing<Needs extends ToolContext, Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Definition<Needs, Input, Output>,
): Tool<Needs> {
  return {
    ...tool,
    run: async (context, input) => tool.output.parse(await tool.run(context, tool.input.parse(input))),
  };
}
