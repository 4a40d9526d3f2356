import { withPlainMessages } from '../../client/plain-messages.ts';
import type { MessagePart } from '../../terms/message-parts.ts';
import type { Message } from '../../terms/messages.ts';
import { readPayload } from '../../terms/payload.ts';

/**
 * The inputs or outputs of a span as readable texts: messages as text, other fields as JSON.
 * @param value the inputs or outputs as they were traced
 */
export function contentTexts(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  const { messages, rest } = readPayload(value);
  return [...messages.map(messageLines), ...(rest === undefined ? [] : [jsonText(rest)])];
}

function messageLines({ writtenRole, role, name, parts, rest }: Message): string {
  const [first, ...others] = parts;
  const isOnFirstLine = first?.kind === 'text' || first?.kind === 'json';
  const written = writtenRole.replace(/Message(?:Chunk)?$/, '').toLowerCase();
  const speaker = [role === 'tool' ? 'tool' : written, name].filter(Boolean).join(' ');
  const head = isOnFirstLine ? partText(first) : '';
  return [
    speaker === '' ? head : `${speaker}: ${head}`.trimEnd(),
    ...(isOnFirstLine ? others : parts).map(partText),
    ...(rest === undefined ? [] : [jsonText(rest)]),
  ].join('\n');
}

function partText(part: MessagePart): string {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'reasoning':
      return `(${part.text})`;
    case 'call':
      return `→ ${part.name} ${jsonText(part.args)}`;
    case 'result':
      return `← ${[part.name, part.failed ? 'failed' : '', ...part.parts.map(partText)].filter(Boolean).join(' ')}`;
    case 'file':
      return jsonText(part.block);
    case 'json':
      return jsonText(part.value);
  }
}

function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(withPlainMessages(value)) ?? '');
}
