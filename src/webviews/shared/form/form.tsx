import './form.css';
import * as l10n from '@vscode/l10n';
import { useEffect, useId, useRef } from 'preact/hooks';
import { JsonEditor } from '../json-editor.tsx';
import { type Draft, draftOf, isDictionary, isList } from './draft.ts';
import type { Field } from './field.ts';
import type { Problems } from './read-form.ts';

interface FieldProps<F extends Field = Field> {
  readonly field: F;
  readonly draft: Draft;
  readonly label: string;
  readonly required: boolean;
  /** Where in the form it is. */
  readonly path: readonly string[];
  readonly problems: Problems;
  readonly onChange: (draft: Draft) => void;
}

type FieldOf<K extends Field['kind']> = Extract<Field, { kind: K }>;

interface SchemaFormProps {
  readonly field: FieldOf<'object'>;
  readonly draft: Draft;
  readonly problems: Problems;
  readonly onChange: (draft: Draft) => void;
  /** Whether the focus goes to the first field that is wrong: problems come of sending, not of typing. */
  readonly leadsToProblem?: boolean;
}

/** The fields of a schema. */
export function SchemaForm({ field, draft, problems, onChange, leadsToProblem = false }: SchemaFormProps) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (leadsToProblem) element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [leadsToProblem, problems]);
  return (
    <div class="schema-form" ref={element}>
      <Properties
        field={field}
        draft={draft}
        label=""
        required
        path={[]}
        problems={problems}
        onChange={onChange}
      />
    </div>
  );
}

function Properties({ field, draft, path, problems, onChange }: FieldProps<FieldOf<'object'>>) {
  const values = isDictionary(draft) ? draft : {};
  return (
    <>
      {field.properties.map(({ name, required, field: property }) => (
        <FormField
          key={name}
          field={property}
          draft={values[name]}
          label={property.title ?? name}
          required={required}
          path={[...path, name]}
          problems={problems}
          onChange={(changed) => onChange({ ...values, [name]: changed })}
        />
      ))}
    </>
  );
}

function FormField(props: FieldProps) {
  const { field } = props;
  switch (field.kind) {
    case 'object':
      return (
        <Group {...props}>
          <Properties {...props} field={field} />
        </Group>
      );
    case 'list':
      return (
        <Group {...props}>
          <Items {...props} field={field} />
        </Group>
      );
    case 'json':
      return <JsonField {...props} />;
    case 'boolean':
      return <BooleanField {...props} />;
    default:
      return <LineField {...props} field={field} />;
  }
}

function Group({
  label,
  required,
  field,
  path,
  problems,
  children,
}: FieldProps & { readonly children: preact.ComponentChildren }) {
  return (
    <fieldset>
      <legend>
        {label}
        <Needed required={required} />
      </legend>
      {field.description !== undefined && <p class="hint">{field.description}</p>}
      {children}
      <Problem id={undefined} text={problems[path.join('.')]} />
    </fieldset>
  );
}

function Items({ field, draft, path, problems, onChange }: FieldProps<FieldOf<'list'>>) {
  const items = isList(draft) ? draft : [];
  const replace = (index: number, ...entries: readonly Draft[]) =>
    onChange(items.toSpliced(index, 1, ...entries));
  return (
    <>
      {items.map((item, index) => {
        const number = index + 1;
        const label = field.item.title ?? l10n.t('Item {0}', number);
        return (
          <div key={index} class="entry">
            <FormField
              field={field.item}
              draft={item}
              label={label}
              required
              path={[...path, String(index)]}
              problems={problems}
              onChange={(changed) => replace(index, changed)}
            />
            <vscode-toolbar-button
              icon="trash"
              label={l10n.t('Remove Item {0}', number)}
              title={l10n.t('Remove Item {0}', number)}
              onClick={() => replace(index)}
            />
          </div>
        );
      })}
      <button type="button" class="link add" onClick={() => onChange([...items, draftOf(field.item)])}>
        {l10n.t('Add Item')}
      </button>
    </>
  );
}

function LineField(props: FieldProps<FieldOf<'text' | 'number' | 'choice'>>) {
  const { field, draft, label, required, path, problems, onChange } = props;
  const id = useId();
  const problem = problems[path.join('.')];
  const shared = {
    id,
    value: typeof draft === 'string' ? draft : '',
    'aria-required': required,
    'aria-invalid': problem !== undefined,
    'aria-describedby': `${id}-hint ${id}-problem`,
  };
  return (
    <div class="field">
      <label for={id}>
        {label}
        <Needed required={required} />
      </label>
      {field.kind === 'choice' ? (
        <select {...shared} onChange={(event) => onChange(event.currentTarget.value)}>
          {(!required || shared.value === '') && <option value="">{l10n.t('Select…')}</option>}
          {field.choices.map((choice, index) => (
            <option key={choice.label} value={String(index)}>
              {choice.label}
            </option>
          ))}
        </select>
      ) : field.kind === 'text' && field.multiline ? (
        <textarea {...shared} rows={2} onInput={(event) => onChange(event.currentTarget.value)} />
      ) : (
        <input
          {...shared}
          type={inputType(field)}
          inputMode={field.kind === 'number' ? (field.integer ? 'numeric' : 'decimal') : undefined}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
      <Hint id={`${id}-hint`} field={field} />
      <Problem id={`${id}-problem`} text={problem} />
    </div>
  );
}

/** Formats that browsers have fields for; a time with its zone is none of them. */
function inputType(field: FieldOf<'text' | 'number'>): string {
  if (field.kind === 'number') return 'text';
  return field.format === 'date' ? 'date' : field.format === 'time' ? 'time' : 'text';
}

function BooleanField({ field, draft, label, required, path, problems, onChange }: FieldProps) {
  const id = useId();
  const problem = problems[path.join('.')];
  return (
    <div class="field check">
      <input
        id={id}
        type="checkbox"
        checked={draft === true}
        // False is not the same as unset.
        ref={(box) => {
          if (box !== null) box.indeterminate = draft === undefined && !required;
        }}
        aria-describedby={`${id}-hint ${id}-problem`}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      <Hint id={`${id}-hint`} field={field} />
      <Problem id={`${id}-problem`} text={problem} />
    </div>
  );
}

function JsonField({ field, draft, label, required, path, problems, onChange }: FieldProps) {
  return (
    <div class="field">
      <JsonEditor
        label={required ? l10n.t('{0} as JSON (required)', label) : l10n.t('{0} as JSON', label)}
        value={typeof draft === 'string' ? draft : ''}
        problem={problems[path.join('.')]}
        rows={2}
        onInput={onChange}
      />
      {field.description !== undefined && <p class="hint">{field.description}</p>}
    </div>
  );
}

function Hint({ id, field }: { readonly id: string; readonly field: Field }) {
  const limits = field.kind === 'text' || field.kind === 'number' ? limitsOf(field) : undefined;
  const text = [field.description, limits].filter((part) => part !== undefined).join(' ');
  return text === '' ? null : (
    <p class="hint" id={id}>
      {text}
    </p>
  );
}

function limitsOf({ kind, min, max }: FieldOf<'text' | 'number'>): string | undefined {
  if (min === undefined && max === undefined) return undefined;
  if (kind === 'text') {
    if (max === undefined) return undefined;
    return max === 1 ? l10n.t('At most 1 character.') : l10n.t('At most {0} characters.', max);
  }
  if (min === undefined) return l10n.t('At most {0}.', max ?? 0);
  return max === undefined ? l10n.t('At least {0}.', min) : l10n.t('From {0} to {1}.', min, max);
}

function Needed({ required }: { readonly required: boolean }) {
  return required ? (
    <span class="needed" title={l10n.t('Required')}>
      <span aria-hidden="true"> *</span>
    </span>
  ) : null;
}

function Problem({ id, text }: { readonly id: string | undefined; readonly text: string | undefined }) {
  return text === undefined ? null : (
    <p class="invalid" id={id}>
      {text}
    </p>
  );
}
