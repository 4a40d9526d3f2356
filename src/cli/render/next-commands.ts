import { z } from 'zod';
import type { Interrupt } from '../../terms/run-outcome.ts';
import { answerOf } from '../arguments/answer.ts';

/** The options of a command that the suggested commands repeat. */
export interface GivenOptions {
  readonly config?: string | undefined;
  readonly deployment?: string | undefined;
  readonly connection?: string | undefined;
  readonly header?: readonly string[] | undefined;
  readonly dataDir?: string | undefined;
  readonly streamMode?: readonly string[] | undefined;
  readonly context?: string | undefined;
  readonly configurable?: string | undefined;
  /** The file that the run is recorded in; a continued run is added to it. */
  readonly record?: string | undefined;
}

/** For a question with more options than this, one command with a placeholder is suggested. */
const MAX_OFFERED = 4;

/** Commands to suggest after another command. They are complete, so that they work when pasted into a shell. */
export class NextCommands {
  readonly #given: GivenOptions;
  readonly #platform: NodeJS.Platform;

  constructor(given: GivenOptions, platform: NodeJS.Platform = process.platform) {
    this.#given = given;
    this.#platform = platform;
  }

  /** Whether the selected platform has the traces of its runs; the platform of a deployment URL is unknown. */
  get hasTraces(): boolean {
    const { deployment } = this.#given;
    return deployment === undefined || !/^https?:\/\//.test(deployment);
  }

  /** One command per option of the question, or one with a placeholder for the answer. */
  answer(assistant: string, threadId: string, questions: readonly Interrupt[]): string[] {
    return this.#answers(questions).map((answer) => {
      // Windows PowerShell would strip the quotes in the answer.
      if (this.#platform !== 'win32' || !answer.includes('"'))
        return this.#run(assistant, threadId, ['--resume', answer]);
      return `${this.#quote(answer)} | ${this.#run(assistant, threadId, ['--resume', '-'])}`;
    });
  }

  continueThread(assistant: string, threadId: string): string {
    return this.#run(assistant, threadId, ['--continue']);
  }

  trace(runId: string): string {
    return this.#line(['trace', runId], this.#platformOptions());
  }

  feedback(runId: string): string {
    return `${this.#line(['feedback', runId, '--score', '1'], this.#platformOptions())} --comment "…"`;
  }

  purgeJob(jobId: string): string {
    return this.#line(['purge', 'job', jobId, '--wait'], this.#platformOptions());
  }

  log(deployment: string): string {
    return this.#line(['logs', deployment], this.#platformOptions());
  }

  buildLog(deployment: string): string {
    return this.#line(['logs', deployment, '--build', '--follow'], this.#platformOptions());
  }

  #run(assistant: string, threadId: string, how: readonly string[]): string {
    return this.#line(['run', assistant, '--thread', threadId, ...how], this.#runOptions());
  }

  #answers(questions: readonly Interrupt[]): string[] {
    const [question, another] = questions;
    if (another !== undefined) return [severalAnswers(questions)];
    const approvals = Approvals.safeParse(question?.value);
    if (approvals.success) {
      return [JSON.stringify({ decisions: approvals.data.map(() => ({ type: 'approve' })) })];
    }
    const options = Options.safeParse(question?.value);
    return options.success ? options.data.options.map(textOf) : ['<answer>'];
  }

  #runOptions(): string[] {
    const { config, deployment, header = [], streamMode, context, configurable, record } = this.#given;
    return [
      ...(config === undefined || config === 'langgraph.json' || deployment !== undefined
        ? []
        : ['--config', config]),
      ...(deployment === undefined ? [] : ['--deployment', deployment]),
      // Values of headers and of `configurable` may be secrets, so they are left out. The name of a file of
      // headers is repeated.
      ...header.flatMap((text) => ['--header', text.startsWith('@') ? text : text.replace(/:.*$/s, ': …')]),
      ...this.#platformOptions(),
      ...(streamMode === undefined ? [] : ['--stream-mode', streamMode.join()]),
      ...(context === undefined ? [] : ['--context', context]),
      ...(configurable === undefined ? [] : ['--configurable', '…']),
      ...(record === undefined ? [] : ['--record', record]),
    ];
  }

  #platformOptions(): string[] {
    const { connection, dataDir } = this.#given;
    return [
      ...(connection === undefined || connection === 'local' ? [] : ['--connection', connection]),
      ...(dataDir === undefined ? [] : ['--data-dir', dataDir]),
    ];
  }

  #line(words: readonly string[], options: readonly string[]): string {
    return ['agent-harbor', ...words, ...options].map((word) => this.#quote(word)).join(' ');
  }

  /**
   * Quotes a word if necessary. Single quotes keep their content unchanged in POSIX shells and in PowerShell.
   */
  #quote(word: string): string {
    if (/^[\w@%+=:,./-]+$/.test(word) || (this.#platform === 'win32' && /^[\w:.\\-]+$/.test(word)))
      return word;
    return `'${word.replaceAll("'", this.#platform === 'win32' ? "''" : `'\\''`)}'`;
  }
}

const Requests = z.array(z.unknown()).min(1);
/**
 * How LangChain's own agents ask for approval of tool calls, in snake case from Python and camel case from
 * JavaScript.
 */
const Approvals = z.union([
  z.object({ action_requests: Requests }).transform(({ action_requests }) => action_requests),
  z.object({ actionRequests: Requests }).transform(({ actionRequests }) => actionRequests),
]);

const Options = z.object({
  options: z
    .array(z.union([z.string(), z.number(), z.boolean()]))
    .min(1)
    .max(MAX_OFFERED),
});

/** An answer for `--resume`. Text that `--resume` would read as JSON gets quotes. */
function textOf(answer: string | number | boolean): string {
  const isPlain = typeof answer === 'string' && answerOf(answer) === answer && !/^\s*[-{[]/.test(answer);
  return isPlain ? answer : JSON.stringify(answer);
}

/** The placeholder for answers to several questions, by the ID of the question. */
function severalAnswers(questions: readonly Interrupt[]): string {
  const ids = questions.flatMap(({ id }) => id ?? []);
  if (ids.length < questions.length) return '<answer>';
  return JSON.stringify(Object.fromEntries(ids.map((id) => [id, '…'])));
}
