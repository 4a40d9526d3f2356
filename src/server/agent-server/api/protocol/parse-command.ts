import { z } from 'zod';
import { ProtocolCommand, type ProtocolResponse } from '../../../../contract/agent-server/protocol.ts';

type ErrorResponse = ProtocolResponse & { type: 'error' };

/** A parsed command, or the error response for a text that is not a command. */
export function parseCommand(text: string): ProtocolCommand | ErrorResponse {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { type: 'error', id: null, error: 'invalid_argument', message: 'The command is not valid JSON.' };
  }
  return toCommand(value);
}

/** A command, or the error response for a value that is not one, with its ID if it has one. */
export function toCommand(value: unknown): ProtocolCommand | ErrorResponse {
  const command = ProtocolCommand.safeParse(value);
  if (command.success) return command.data;
  const id = z.object({ id: z.int().min(0) }).safeParse(value).data?.id ?? null;
  const [issue] = command.error.issues;
  const where = issue?.path.join('.') ?? '';
  const message = `The command must be {id, method, params}: ${where}: ${issue?.message ?? 'not valid'}`;
  return { type: 'error', id, error: 'invalid_argument', message };
}
