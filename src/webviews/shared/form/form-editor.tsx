import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Draft, draftOf, emptyDraft } from './draft.ts';
import type { Form } from './field.ts';
import { SchemaForm } from './form.tsx';
import { type Problems, readForm } from './read-form.ts';

interface FormEditorProps {
  readonly form: Form;
  /** The value to start with; by default the schema's defaults. */
  readonly initial?: unknown;
  /** Whether the user has just opened the form. */
  readonly takesFocus?: boolean;
  readonly label?: string | undefined;
  readonly className?: string;
  readonly onSubmit: (value: unknown) => void;
  readonly onCancel?: (() => void) | undefined;
  /** Draws the buttons below the fields. */
  readonly children: (submit: () => void) => ComponentChildren;
}

/** A form that keeps its own draft and shows its problems. Ctrl+Enter submits it, Escape cancels it. */
export function FormEditor(props: FormEditorProps) {
  const {
    form,
    initial,
    takesFocus = false,
    label,
    className = 'editor',
    onSubmit,
    onCancel,
    children,
  } = props;
  const [draft, setDraft] = useState<Draft>(() =>
    initial === undefined ? emptyDraft(form) : draftOf(form, initial),
  );
  const [problems, setProblems] = useState<Problems>({});
  const element = useRef<HTMLFormElement>(null);

  // In a layout effect, so that keys that the user presses immediately go to the right field.
  useLayoutEffect(() => {
    if (!takesFocus) return;
    element.current?.querySelector<HTMLElement>('input, textarea, select')?.focus();
    element.current?.scrollIntoView({ block: 'nearest' });
  }, [takesFocus]);

  const submit = (): void => {
    const read = readForm(form, draft);
    if ('problems' in read) setProblems(read.problems);
    else onSubmit(read.value);
  };
  return (
    <form
      ref={element}
      class={className}
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          submit();
        } else if (event.key === 'Escape' && onCancel !== undefined) {
          event.stopPropagation();
          onCancel();
        }
      }}
    >
      <SchemaForm
        field={form}
        draft={draft}
        problems={problems}
        leadsToProblem
        onChange={(changed) => {
          setDraft(changed);
          setProblems({});
        }}
      />
      {children(submit)}
    </form>
  );
}
