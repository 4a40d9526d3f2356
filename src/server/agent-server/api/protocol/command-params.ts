import { z } from 'zod';
import { RunCreate } from '../../../../contract/agent-server/runs.ts';
import { RunCommand } from '../../../../contract/agent-server/threads.ts';
import { JsonObject } from '../../../../contract/fields.ts';
import { ProtocolError } from './protocol-error.ts';

// The parameters of the commands of the v2 protocol (docs/interface/agent-server.md#v2-protocol).

const Namespace = z.array(z.string()).max(100);
const Config = z.looseObject({
  tags: z.array(z.string()).nullish(),
  recursion_limit: z.int().min(1).nullish(),
  configurable: JsonObject.nullish(),
});
const Strategy = RunCreate.shape.multitask_strategy;

/** A run's input may also be a command, see `CommandAsInput`. Clients spell the strategy in either way. */
export const RunStart = z.looseObject({
  assistant_id: z.string().min(1),
  input: z.unknown().optional(),
  command: RunCreate.shape.command,
  config: Config.nullish(),
  metadata: JsonObject.nullish(),
  langsmith_tracer: RunCreate.shape.langsmith_tracer,
  multitask_strategy: Strategy.optional(),
  multitaskStrategy: Strategy.optional(),
  strict_resume: z.boolean().nullish(),
  max_cost: RunCreate.shape.max_cost,
});
/** A `Command` of LangGraph.js in its own serialized form. */
export const CommandAsInput = RunCommand.extend({ lg_name: z.literal('Command') }).transform(
  ({ lg_name: _, ...command }) => command,
);
/** The fields of the run that takes the answers. */
const ANSWER_FIELDS = {
  update: z.unknown().optional(),
  goto: z.unknown().optional(),
  config: Config.nullish(),
  metadata: JsonObject.nullish(),
};
/** The answer to one interrupt. */
const RESPONSE_FIELDS = {
  interrupt_id: z.string(),
  response: z.unknown().optional(),
  namespace: Namespace.nullish(),
};
/** Answers to several interrupts in `responses`, or to a single one in the command's own fields. */
export const InputRespond = z
  .looseObject({
    ...RESPONSE_FIELDS,
    interrupt_id: z.string().optional(),
    responses: z.array(z.looseObject(RESPONSE_FIELDS)).min(1).optional(),
    ...ANSWER_FIELDS,
  })
  .refine((answer) => answer.responses !== undefined || answer.interrupt_id !== undefined, {
    path: ['interrupt_id'],
    message: 'interrupt_id is required when several interrupts are pending.',
  });
export const InputInject = z.looseObject({
  namespace: Namespace.default([]),
  message: z.looseObject({ role: z.enum(['user', 'system']), content: z.string() }),
});
export const StateGet = z.looseObject({
  namespace: Namespace.default([]),
  keys: z.array(z.string()).nullish(),
});
export const ListCheckpoints = z.looseObject({
  namespace: Namespace.nullish(),
  limit: z.int().min(1).max(1000).nullish(),
  before: z.string().nullish(),
});
export const StateFork = z.looseObject({
  checkpoint_id: z.string().min(1),
  input: z.unknown().optional(),
  config: Config.nullish(),
});
export const GetTree = z.looseObject({ run_id: z.guid().nullish() });
/** The interrupts of a thread, by task. */
export const Interrupts = z.record(z.string(), z.array(z.looseObject({ id: z.string().nullish() })));

/** Parses the parameters of a command. @throws ProtocolError that names the first invalid field. */
export function parseParams<Schema extends z.ZodType>(schema: Schema, params: JsonObject): z.output<Schema> {
  const result = schema.safeParse(params);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new ProtocolError(
    'invalid_argument',
    `params${(issue?.path ?? []).map((part) => `.${String(part)}`).join('')}: ${issue?.message ?? 'not valid'}`,
  );
}
