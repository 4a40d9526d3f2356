import * as l10n from '@vscode/l10n';
import { isObject } from '../../process/objects.ts';
import { parseBeginning } from './parse-beginning.ts';
import { shownName } from './span-name.ts';
import { inputTitle } from './titles.ts';

/** The end of the name of a trace in which LangGraph only updated a state: `agentUpdateState`. */
const UPDATE = /UpdateState$/;

interface ListedTrace {
  readonly name?: string | undefined;
  /** The inputs, or the beginning of their JSON. */
  readonly inputs_preview?: unknown;
}

export interface TraceTitle {
  readonly label: string | undefined;
  /** The name of the graph, unless it is the label. */
  readonly graph: string | undefined;
  /** Whether the trace only updated a state. */
  readonly isUpdate: boolean;
}

/**
 * The title of a trace: the words of its input, or of the answer to an interrupt, which distinguish it from
 * other traces of its graph; else its name.
 */
export function traceTitle({ name, inputs_preview }: ListedTrace): TraceTitle {
  if (name !== undefined && UPDATE.test(name))
    return { label: l10n.t('State edited'), graph: name.replace(UPDATE, '') || undefined, isUpdate: true };
  const inputs = typeof inputs_preview === 'string' ? parseBeginning(inputs_preview) : inputs_preview;
  const onward = isContinued(inputs) ? l10n.t('continued') : answerWords(inputs);
  const words = onward === undefined ? inputTitle(inputs_preview) : `↳ ${onward}`;
  const shown = name && shownName(name);
  const label = words ?? shown;
  return { label, graph: label === shown ? undefined : shown, isUpdate: false };
}

/**
 * Whether a run continued where its thread had stopped, without an input. Both runtimes trace this as `input:
 * null`.
 */
function isContinued(inputs: unknown): boolean {
  return isObject(inputs) && inputs.input === null && Object.keys(inputs).length === 1;
}

/** The words of an answer to an interrupt. Python traces the command with the answer as `input`. */
function answerWords(inputs: unknown): string | undefined {
  const outer = isObject(inputs) ? inputs : {};
  const command = outer.lg_name === 'Command' ? outer : isObject(outer.input) ? outer.input : {};
  const isCommand = outer.lg_name === 'Command' || ('resume' in command && 'goto' in command);
  if (!isCommand || command.resume === null || command.resume === undefined) return undefined;
  const { resume } = command;
  return typeof resume === 'boolean' ? String(resume) : inputTitle(isObject(resume) ? resume : { resume });
}
