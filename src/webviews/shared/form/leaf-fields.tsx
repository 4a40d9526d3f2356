import * as l10n from '@vscode/l10n';
import { useId } from 'preact/hooks';
import { JsonEditor } from '../json-editor.tsx';
import { rawJson, shownDraft } from './draft.ts';
import type { Field, FieldOf } from './field.ts';
import type { FieldProps } from './field-props.ts';
import { Hint, Problem, RequiredMark } from './field-text.tsx';

/** The value of the option that shows a draft that is none of the choices. The value of a choice's option is its index. */
const RAW_JSON = 'raw';

/** The field of a text, a number or a choice. */
export function LineField(props: FieldProps<FieldOf<'text' | 'number' | 'choice'>>) {
  const { field, draft, label, required, path, problems, onChange } = props;
  const id = useId();
  const problem = problems[path.join('.')];
  const shown = shownDraft(field, draft);
  const raw = rawJson(shown);
  const value = typeof shown === 'string' ? shown : (raw ?? '');
  const shared = {
    id,
    value: field.kind === 'choice' && raw !== undefined ? RAW_JSON : value,
    'aria-required': required,
    'aria-invalid': problem !== undefined,
    'aria-describedby': `${id}-hint ${id}-problem`,
  };
  // An emptied field is absent, unless its default would then apply.
  const write = (text: string) => onChange(text === '' && (field.initial ?? '') === '' ? undefined : text);
  return (
    <div class="field">
      <Label id={id} label={label} nodes={field.nodes} required={required} />
      {field.kind === 'choice' ? (
        <Select field={field} raw={raw} required={required} shared={shared} write={write} />
      ) : (
        <TextInput field={field} shared={shared} write={write} />
      )}
      <Hint id={`${id}-hint`} field={field} />
      <Problem id={`${id}-problem`} text={problem} />
    </div>
  );
}

interface LineProps<Kind extends 'text' | 'number' | 'choice'> {
  readonly field: FieldOf<Kind>;
  /** The attributes of the element, whatever its kind. */
  readonly shared: {
    readonly id: string;
    readonly value: string;
    readonly 'aria-required': boolean;
    readonly 'aria-invalid': boolean;
    readonly 'aria-describedby': string;
  };
  readonly write: (text: string) => void;
}

function Select({
  field,
  raw,
  required,
  shared,
  write,
}: LineProps<'choice'> & { readonly raw: string | undefined; readonly required: boolean }) {
  return (
    <select {...shared} onChange={({ currentTarget: { value } }) => value !== RAW_JSON && write(value)}>
      {(!required || shared.value === '') && <option value="">{l10n.t('Select…')}</option>}
      {raw !== undefined && <option value={RAW_JSON}>{raw}</option>}
      {field.choices.map((choice, index) => (
        <option key={choice.label} value={String(index)}>
          {choice.label}
        </option>
      ))}
    </select>
  );
}

function TextInput({ field, shared, write }: LineProps<'text' | 'number'>) {
  const { value } = shared;
  const isLine = field.kind === 'number' || (field.length === 'line' && !value.includes('\n'));
  if (!isLine) {
    const isGrowing = field.length === 'growing';
    return (
      <textarea
        {...shared}
        rows={isGrowing ? 1 : 2}
        onInput={(event) => write(event.currentTarget.value)}
        onKeyDown={isGrowing && !value.includes('\n') ? submitOnEnter : undefined}
      />
    );
  }
  return (
    <input
      {...shared}
      type={inputType(field, value)}
      inputMode={field.kind === 'number' ? (field.integer ? 'numeric' : 'decimal') : undefined}
      onInput={(event) => write(event.currentTarget.value)}
    />
  );
}

/** In a text field without line breaks, Enter submits the form and Shift+Enter adds a line. */
function submitOnEnter(event: KeyboardEvent & { readonly currentTarget: HTMLTextAreaElement }): void {
  const isPlain = !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.isComposing;
  if (event.key !== 'Enter' || !isPlain || event.currentTarget.form === null) return;
  event.preventDefault();
  event.currentTarget.form.requestSubmit();
}

interface LabelProps extends Pick<FieldProps, 'label' | 'required'>, Pick<Field, 'nodes'> {
  /** The ID of the field. */
  readonly id: string;
}

/** The label of a field, with the nodes of the graph that use its value. */
function Label({ id, label, nodes, required }: LabelProps) {
  return (
    <label for={id}>
      {label}
      <RequiredMark required={required} />
      {nodes.length > 0 && <span class="nodes">{nodes.join(', ')}</span>}
    </label>
  );
}

/** The `type` of the element. The browser's fields for dates and times cannot show other values, such as a time zone. */
function inputType(field: FieldOf<'text' | 'number'>, value: string): string {
  if (field.kind === 'number') return 'text';
  if (field.format === 'date' && /^(\d{4}-\d\d-\d\d)?$/.test(value)) return 'date';
  return field.format === 'time' && /^(\d\d:\d\d(:\d\d(\.\d{1,3})?)?)?$/.test(value) ? 'time' : 'text';
}

export function BooleanField({ field, draft, label, required, path, problems, onChange }: FieldProps) {
  const id = useId();
  const problem = problems[path.join('.')];
  const shown = shownDraft(field, draft);
  return (
    <div class="field check">
      <input
        id={id}
        type="checkbox"
        checked={shown === true}
        // An absent value, and one that is neither true nor false, are shown differently from false.
        ref={(box) => {
          if (box !== null)
            box.indeterminate = typeof shown !== 'boolean' && (!required || shown !== undefined);
        }}
        aria-describedby={`${id}-hint ${id}-problem`}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <Label id={id} label={label} nodes={field.nodes} required={false} />
      <Hint id={`${id}-hint`} field={field} />
      <Problem id={`${id}-problem`} text={problem} />
    </div>
  );
}

export function JsonField({ field, draft, label, required, path, problems, onChange }: FieldProps) {
  return (
    <div class="field">
      <JsonEditor
        label={required ? l10n.t('{0} as JSON (required)', label) : l10n.t('{0} as JSON', label)}
        value={typeof draft === 'string' ? draft : ''}
        problem={problems[path.join('.')]}
        rows={2}
        onInput={onChange}
      />
      <Hint field={field} />
    </div>
  );
}
