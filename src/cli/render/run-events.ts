import type { ErrorPlace } from '../../client/error-frames.ts';
import type { RunEvent } from '../../contract/agent-server/run-events.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { messageText } from './message-text.ts';
import { oneLine } from './one-line.ts';
import { placeText } from './places.ts';
import { resultOf } from './run-result.ts';

/** The maximum number of characters of a string in the final state that a terminal shows. */
const MAX_TEXT_LENGTH = 1_000;
/** The minimum number of columns for a value, even if the line is then too long. */
const MIN_WIDTH = 20;

type Message = Extract<RunEvent, { kind: 'messages' }>['data'][0];

/**
 * Shows the events of a run in a terminal: tokens as they stream, and a line per node, custom event or tool.
 * Control sequences are removed from the output of models and tools.
 */
export class RunPrinter {
  readonly #terminal: Terminal;
  /** The ID of the message whose tokens are being written. */
  #writing: string | undefined;
  /** Whether the current line shows a tool call. */
  #isInToolCall = false;
  /** All text of the agent that was shown. */
  #shownText = '';

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  show(event: RunEvent): void {
    const { dim, cyan, red, yellow } = this.#terminal.colors;
    switch (event.kind) {
      case 'metadata':
        if (event.data.cost_warning !== undefined) this.#line(yellow(event.data.cost_warning));
        else if ((event.data.attempt ?? 1) > 1) {
          this.#line(dim(`attempt ${event.data.attempt}: continuing from the last checkpoint`));
        }
        break;
      case 'messages':
        this.#message(event.data[0], String(event.data[1].langgraph_node ?? ''));
        break;
      case 'updates':
        this.#updates(event);
        break;
      case 'custom':
        this.#line(`${cyan('•')} ${this.#fitToLine('• ', event.data)}`);
        break;
      case 'values':
        this.#line(JSON.stringify(event.data, undefined, 2));
        break;
      case 'error':
        this.#line(`${red(`${event.data.error}:`)} ${event.data.message}`);
        break;
      case 'feedback':
      case 'end':
        break;
      default:
        this.#line(`${dim(event.event)} ${this.#fitToLine(`${event.event} `, event.data)}`);
    }
  }

  /** Shows the interrupts of a run. */
  showInterrupts(values: Iterable<unknown>): void {
    const { yellow } = this.#terminal.colors;
    for (const value of values) {
      this.#line(yellow('The run is waiting for an answer:'));
      this.#line(typeof value === 'string' ? value : JSON.stringify(value, undefined, 2));
    }
  }

  /** Shows where a breakpoint stopped the run. */
  showBreakpoint(next: readonly string[]): void {
    this.#line(this.#terminal.colors.yellow(`The run has stopped before ${next.join(', ')}.`));
  }

  showErrorPlace(place: ErrorPlace): void {
    this.#line(this.#terminal.colors.dim(`  ${placeText(place)}`));
  }

  showCanceled(): void {
    this.#line(this.#terminal.colors.yellow('The run was canceled.'));
  }

  /** Shows the result of the run, unless it was already shown as it streamed. */
  showResult(values: unknown): void {
    const result = resultOf(values);
    if (result === undefined) return;
    if (result.kind === 'values') {
      this.#line(this.#terminal.colors.dim('Final state:'));
      this.#line(JSON.stringify(result.values, this.#shortener, 2));
    } else if (!this.#shownText.includes(result.text)) this.#line(result.text);
  }

  /** For `JSON.stringify`: shortens long strings in a terminal. In a pipe, nothing is cut. */
  get #shortener(): ((key: string, value: unknown) => unknown) | undefined {
    if (this.#terminal.fitWidth === undefined) return undefined;
    return (_, value) =>
      typeof value === 'string' && value.length > MAX_TEXT_LENGTH
        ? `${value.slice(0, MAX_TEXT_LENGTH)}…`
        : value;
  }

  #message(message: Message, node: string): void {
    const { dim, magenta } = this.#terminal.colors;
    if (message.type === 'tool') {
      const name = message.name ?? 'tool';
      const result = this.#fitToLine(`← ${name} `, messageText(message));
      this.#line(`${magenta('←')} ${name} ${dim(result)}`);
      return;
    }
    if (!/^ai/i.test(message.type)) return;
    const id = message.id ?? node;
    if (this.#writing !== id) {
      this.#terminal.freshLine();
      this.#writing = id;
      this.#isInToolCall = false;
    }
    for (const call of toolCallPieces(message)) {
      if (call.name !== '') {
        this.#terminal.freshLine();
        this.#terminal.write(`${magenta('→')} ${call.name} `);
        this.#isInToolCall = true;
      }
      this.#terminal.write(dim(call.args));
    }
    const text = messageText(message);
    if (text === '') return;
    if (this.#isInToolCall) this.#terminal.freshLine();
    this.#isInToolCall = false;
    this.#shownText += text;
    this.#terminal.write(text);
  }

  #updates(event: Extract<RunEvent, { kind: 'updates' }>): void {
    const { green, dim } = this.#terminal.colors;
    const depth = '  '.repeat(event.namespace.length);
    for (const [node, update] of Object.entries(event.data)) {
      if (node === '__interrupt__') continue;
      const fields = this.#fieldsOf(`${depth}✓ ${node} `, update);
      this.#line(`${depth}${green('✓')} ${node}${fields && ` ${dim(fields)}`}`);
    }
  }

  /** The state keys that a node changed, or its update if that is not an object, shortened to fit after `before`. */
  #fieldsOf(before: string, update: unknown): string {
    if (update === null || update === undefined) return '';
    if (typeof update !== 'object' || Array.isArray(update)) return this.#fitToLine(before, update);
    return Object.keys(update).join(', ');
  }

  #line(text: string): void {
    this.#writing = undefined;
    this.#terminal.line(text);
  }

  /** A value, shortened to the rest of the line after `before`. */
  #fitToLine(before: string, value: unknown): string {
    const { fitWidth } = this.#terminal;
    return oneLine(value, fitWidth === undefined ? undefined : Math.max(MIN_WIDTH, fitWidth - before.length));
  }
}

interface ToolCallPiece {
  /** Empty except in the first chunk of a call. */
  readonly name: string;
  readonly args: string;
}

/** The tool calls in a message: pieces while it streams, else complete calls. */
function toolCallPieces(message: Message): ToolCallPiece[] {
  const chunks = message.tool_call_chunks;
  if (Array.isArray(chunks) && chunks.length > 0) {
    return chunks.map((chunk) => ({ name: stringOf(chunk, 'name'), args: stringOf(chunk, 'args') }));
  }
  if (message.type !== 'ai') return [];
  return (message.tool_calls ?? []).map(({ name, args }) => ({ name, args: JSON.stringify(args) ?? '' }));
}

function stringOf(value: unknown, field: string): string {
  if (value === null || typeof value !== 'object') return '';
  const read = Object.entries(value).find(([name]) => name === field)?.[1];
  return typeof read === 'string' ? read : '';
}
