import * as l10n from '@vscode/l10n';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { JsonEditor } from '../../shared/json-editor.tsx';
import { guessType, type ResponseType, readResponse } from '../typed-response.ts';
import { AnswerButtons } from './answer-buttons.tsx';

interface TypedAnswerProps {
  /** Whether the question is plain text. */
  readonly isText: boolean;
  readonly submitLabel: string;
  readonly initial: string;
  readonly takesFocus: boolean;
  readonly onAnswer: (value: unknown) => void;
  readonly onCancel: (() => void) | undefined;
}

/** A field for any response, with a menu for sending it as text or JSON. */
export function TypedAnswer(props: TypedAnswerProps) {
  const { initial, isText, takesFocus, submitLabel, onAnswer, onCancel } = props;
  const typeId = useId();
  const [chosenType, setChosenType] = useState<ResponseType | undefined>(undefined);
  const [text, setText] = useState(initial);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const editor = useRef<HTMLTextAreaElement>(null);

  // In a layout effect, so that keys that the user presses immediately go to the right field.
  useLayoutEffect(() => {
    if (!takesFocus) return;
    editor.current?.focus();
    editor.current?.form?.scrollIntoView({ block: 'nearest' });
  }, [takesFocus]);

  const type = chosenType ?? guessType(text, isText);
  const send = (): void => {
    const read = readResponse(text, type);
    if ('problem' in read) setProblem(read.problem);
    else onAnswer(read.value);
  };
  return (
    <div class="answers">
      <form
        class="editor"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onCancel?.();
        }}
      >
        <JsonEditor
          label={l10n.t('Response')}
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
        <div class="sent-as">
          <label for={typeId}>{l10n.t('Send as')}</label>
          <select
            id={typeId}
            value={type}
            onChange={({ currentTarget }) => {
              setChosenType(currentTarget.value === 'json' ? 'json' : 'text');
              setProblem(undefined);
            }}
          >
            <option value="text">{l10n.t('Text')}</option>
            <option value="json">JSON</option>
          </select>
        </div>
        <AnswerButtons onSubmit={send} label={submitLabel} onCancel={onCancel} />
      </form>
    </div>
  );
}
