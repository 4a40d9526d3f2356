import * as l10n from '@vscode/l10n';
import { isObject } from '../../process/objects.ts';
import { inputTitle } from './input-title.ts';
import { parseBeginning } from './parse-beginning.ts';
import { shownName } from './span-name.ts';

/** The end of a trace's name when LangGraph only wrote a state: `agentUpdateState`. */
const UPDATE = /UpdateState$/;

/** A trace in a list. */
interface Named {
  readonly name?: string | undefined;
  /** The beginning of its inputs. */
  readonly inputs_preview?: unknown;
}

export interface TraceTitle {
  readonly label: string | undefined;
  /** The name of the graph, unless it is the label. */
  readonly graph: string | undefined;
  readonly isUpdate: boolean;
}

/**
 * The words that distinguish a trace from others of its graph: of its input, or of the answer to an interrupt.
 */
export function traceTitle({ name, inputs_preview }: Named): TraceTitle {
  if (name !== undefined && UPDATE.test(name))
    return { label: l10n.t('State edited'), graph: name.replace(UPDATE, '') || undefined, isUpdate: true };
  const answer = answerWords(inputs_preview);
  const words = answer === undefined ? inputTitle(inputs_preview) : `↳ ${answer}`;
  const shown = name && shownName(name);
  const label = words ?? shown;
  return { label, graph: label === shown ? undefined : shown, isUpdate: false };
}

/** The words of an answer to an interrupt. Python's traces have it as `input`. */
function answerWords(preview: unknown): string | undefined {
  const value = typeof preview === 'string' ? parseBeginning(preview) : preview;
  const outer = isObject(value) ? value : {};
  const command = outer.lg_name === 'Command' ? outer : isObject(outer.input) ? outer.input : {};
  const isCommand = outer.lg_name === 'Command' || ('resume' in command && 'goto' in command);
  if (!isCommand || command.resume === null || command.resume === undefined) return undefined;
  const { resume } = command;
  return typeof resume === 'boolean' ? String(resume) : inputTitle(isObject(resume) ? resume : { resume });
}
