import * as l10n from '@vscode/l10n';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Draft, draftOf, type Problems, readForm } from '../../shared/form/draft.ts';
import { type Field, formOf } from '../../shared/form/field.ts';
import { SchemaForm } from '../../shared/form/form.tsx';
import { JsonEditor } from '../../shared/json-editor.tsx';
import { parseJson } from '../../shared/json-input.ts';
import { answerSchema, type InterruptOption, interruptOptions } from '../interrupt-options.ts';

interface AnswerProps {
  readonly payload: unknown;
  readonly onAnswer: (value: unknown) => void;
}

/** The answers that an interrupt offers, the form that its schema makes, and room for any other answer. */
export function Answer({ payload, onAnswer }: AnswerProps) {
  const options = interruptOptions(payload);
  const form = formOf(answerSchema(payload));
  const [text, setText] = useState('');
  const [isEditing, setEditing] = useState(options.length === 0 && form === undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const editor = useRef<HTMLTextAreaElement>(null);
  const [wasChosen, setChosen] = useState(false);

  useEffect(() => {
    if (!wasChosen) return;
    editor.current?.focus();
    editor.current?.form?.scrollIntoView({ block: 'nearest' });
  }, [wasChosen]);

  const edit = (): void => {
    setEditing(true);
    setChosen(true);
  };
  const choose = (option: InterruptOption): void => {
    if (!option.isPattern) {
      onAnswer(option.resume);
      return;
    }
    setText(JSON.stringify(option.resume, undefined, 2));
    edit();
  };
  const send = (): void => {
    const read = parseAnswer(text);
    if ('problem' in read) setProblem(read.problem);
    else onAnswer(read.value);
  };

  return (
    <div class="answers">
      {options.length > 0 && (
        <ul class="options">
          {options.map((option, index) => (
            <li key={option.label}>
              <vscode-button secondary={index > 0} onClick={() => choose(option)}>
                {option.isPattern ? l10n.t('{0}…', option.label) : option.label}
              </vscode-button>
              <span class="muted">{option.description}</span>
            </li>
          ))}
        </ul>
      )}
      {form !== undefined && !isEditing && <AnswerForm form={form} onAnswer={onAnswer} />}
      {!isEditing && (
        <button type="button" class="link" onClick={edit}>
          {l10n.t('Answer with JSON or text')}
        </button>
      )}
      {isEditing && (
        <form
          class="editor"
          onSubmit={(event) => {
            event.preventDefault();
            send();
          }}
        >
          <JsonEditor
            label={l10n.t('Your answer, as JSON or plain text')}
            value={text}
            problem={problem}
            rows={3}
            editor={editor}
            onInput={(value) => {
              setText(value);
              setProblem(undefined);
            }}
            onSubmit={send}
          />
          <vscode-button type="button" onClick={send}>
            {l10n.t('Resume')}
          </vscode-button>
        </form>
      )}
    </div>
  );
}

interface AnswerFormProps {
  readonly form: Extract<Field, { kind: 'object' }>;
  readonly onAnswer: (value: unknown) => void;
}

function AnswerForm({ form, onAnswer }: AnswerFormProps) {
  const [draft, setDraft] = useState<Draft>(draftOf(form));
  const [problems, setProblems] = useState<Problems>({});
  const send = (): void => {
    const read = readForm(form, draft);
    if ('problems' in read) setProblems(read.problems);
    else onAnswer(read.value);
  };
  return (
    <form
      class="editor"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <SchemaForm
        field={form}
        draft={draft}
        problems={problems}
        onChange={(changed) => {
          setDraft(changed);
          setProblems({});
        }}
      />
      <vscode-button type="button" onClick={send}>
        {l10n.t('Resume')}
      </vscode-button>
    </form>
  );
}

/** Text that looks like JSON has to be JSON; any other is itself the answer. */
function parseAnswer(text: string): { value: unknown } | { problem: string } {
  if (text.trim() === '') return { problem: l10n.t('Type an answer.') };
  if (/^\s*([[{"]|-?\d|true\b|false\b|null\b)/.test(text)) {
    const read = parseJson(text);
    if ('value' in read || /^\s*[[{"]/.test(text)) return read;
  }
  return { value: text };
}
