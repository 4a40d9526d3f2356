import './form.css';
import * as l10n from '@vscode/l10n';
import { useEffect, useId, useRef } from 'preact/hooks';
import { JsonEditor } from '../json-editor.tsx';
import {
  type Draft,
  draftAt,
  emptyDraft,
  heldText,
  isBlank,
  isDictionary,
  isList,
  shownDraft,
} from './draft.ts';
import type { Choice, Field } from './field.ts';
import type { Problems } from './read-form.ts';

interface FieldProps<F extends Field = Field> {
  readonly field: F;
  readonly draft: Draft;
  readonly label: string;
  readonly required: boolean;
  /** The path in the form. */
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
  /** Whether the first invalid field gets the focus, because problems appear on sending, not while typing. */
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

function Properties({ field, draft, required, path, problems, onChange }: FieldProps<FieldOf<'object'>>) {
  const shown = shownDraft(field, draft);
  const values = isDictionary(shown) ? shown : {};
  const change = (name: string, inner: Draft): void => {
    const changed = { ...values, [name]: inner };
    // An optional object is absent once nothing is left in it.
    onChange(!required && isBlank(changed) ? undefined : changed);
  };
  return (
    <>
      {field.properties.map(({ name, required, field: property }) => (
        <FormField
          key={name}
          field={property}
          draft={draftAt(values, name)}
          label={property.title ?? name}
          required={required}
          path={[...path, name]}
          problems={problems}
          onChange={(changed) => change(name, changed)}
        />
      ))}
    </>
  );
}

function FormField(props: FieldProps) {
  const { field, draft } = props;
  const isJson = (field.kind === 'list' || field.kind === 'object') && typeof draft === 'string';
  if (isJson) return <JsonField {...props} />;
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
  const shown = shownDraft(field, draft);
  const items = isList(shown) ? shown : [];
  const { item } = field;
  if (item.kind === 'choice' && items.every((chosen) => typeof chosen === 'string'))
    return <Checks choices={item.choices} chosen={items} onChange={onChange} />;
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
      <button type="button" class="link add" onClick={() => onChange([...items, emptyDraft(field.item)])}>
        {l10n.t('Add Item')}
      </button>
    </>
  );
}

/** Multiple choices, in the order in which they were made. */
function Checks({
  choices,
  chosen,
  onChange,
}: {
  readonly choices: readonly Choice[];
  readonly chosen: readonly Draft[];
  readonly onChange: (draft: Draft) => void;
}) {
  return (
    <div class="checks">
      {choices.map(({ label }, index) => {
        const place = String(index);
        return (
          <label key={label}>
            <input
              type="checkbox"
              checked={chosen.includes(place)}
              onChange={(event) =>
                onChange(
                  event.currentTarget.checked
                    ? [...chosen, place]
                    : chosen.filter((other) => other !== place),
                )
              }
            />
            {label}
          </label>
        );
      })}
    </div>
  );
}

function LineField(props: FieldProps<FieldOf<'text' | 'number' | 'choice'>>) {
  const { field, draft, label, required, path, problems, onChange } = props;
  const id = useId();
  const problem = problems[path.join('.')];
  const shown = shownDraft(field, draft);
  const held = heldText(shown);
  const value = typeof shown === 'string' ? shown : (held ?? '');
  const shared = {
    id,
    value: field.kind === 'choice' && held !== undefined ? HELD : value,
    'aria-required': required,
    'aria-invalid': problem !== undefined,
    'aria-describedby': `${id}-hint ${id}-problem`,
  };
  // An empty field is absent, unless that would restore its default.
  const write = (text: string) => onChange(text === '' && (field.initial ?? '') === '' ? undefined : text);
  return (
    <div class="field">
      <label for={id}>
        {label}
        <Needed required={required} />
        <Nodes names={field.nodes} />
      </label>
      {field.kind === 'choice' ? (
        <Select field={field} held={held} required={required} shared={shared} write={write} />
      ) : (
        <TextInput field={field} shared={shared} write={write} />
      )}
      <Hint id={`${id}-hint`} field={field} />
      <Problem id={`${id}-problem`} text={problem} />
    </div>
  );
}

/** The props of all elements of a line. */
interface LineProps<Kind extends 'text' | 'number' | 'choice'> {
  readonly field: FieldOf<Kind>;
  readonly shared: { readonly value: string };
  readonly write: (text: string) => void;
}

function Select({
  field,
  held,
  required,
  shared,
  write,
}: LineProps<'choice'> & { readonly held: string | undefined; readonly required: boolean }) {
  return (
    <select {...shared} onChange={({ currentTarget: { value } }) => value !== HELD && write(value)}>
      {(!required || shared.value === '') && <option value="">{l10n.t('Select…')}</option>}
      {held !== undefined && <option value={HELD}>{held}</option>}
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

/** The index for a value that is not among the choices. */
const HELD = 'held';

/** Enter submits a form from a line; Shift+Enter begins another line. */
function submitOnEnter(event: KeyboardEvent & { readonly currentTarget: HTMLTextAreaElement }): void {
  const isPlain = !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.isComposing;
  if (event.key !== 'Enter' || !isPlain || event.currentTarget.form === null) return;
  event.preventDefault();
  event.currentTarget.form.requestSubmit();
}

/** The nodes of the graph that use a value. */
function Nodes({ names }: { readonly names: readonly string[] }) {
  return names.length === 0 ? null : <span class="nodes">{names.join(', ')}</span>;
}

/** Formats with a browser field that shows only such values; a time with its zone is not one of them. */
function inputType(field: FieldOf<'text' | 'number'>, value: string): string {
  if (field.kind === 'number') return 'text';
  if (field.format === 'date' && /^(\d{4}-\d\d-\d\d)?$/.test(value)) return 'date';
  return field.format === 'time' && /^(\d\d:\d\d(:\d\d(\.\d{1,3})?)?)?$/.test(value) ? 'time' : 'text';
}

function BooleanField({ field, draft, label, required, path, problems, onChange }: FieldProps) {
  const id = useId();
  const problem = problems[path.join('.')];
  const shown = shownDraft(field, draft);
  return (
    <div class="field check">
      <input
        id={id}
        type="checkbox"
        checked={shown === true}
        // False is not the same as unset.
        ref={(box) => {
          if (box !== null) box.indeterminate = typeof shown !== 'boolean' && !required;
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

function limitsOf(field: FieldOf<'text' | 'number'>): string | undefined {
  if (field.kind === 'text') {
    if (field.max === undefined) return undefined;
    return field.max === 1 ? l10n.t('At most 1 character.') : l10n.t('At most {0} characters.', field.max);
  }
  const [min, max] = [field.min, field.max].map((limit) => (isRealLimit(limit) ? limit : undefined));
  if (min !== undefined && max !== undefined) return l10n.t('From {0} to {1}.', min, max);
  const low = min !== undefined ? l10n.t('At least {0}.', min) : undefined;
  const high = max !== undefined ? l10n.t('At most {0}.', max) : undefined;
  const above = isRealLimit(field.above) ? l10n.t('Greater than {0}.', field.above) : undefined;
  const below = isRealLimit(field.below) ? l10n.t('Less than {0}.', field.below) : undefined;
  const limits = [low ?? above, high ?? below].filter((limit) => limit !== undefined);
  return limits.length === 0 ? undefined : limits.join(' ');
}

/** Zod gives every integer the limits of exact numbers. */
function isRealLimit(limit: number | undefined): limit is number {
  return limit !== undefined && Math.abs(limit) < Number.MAX_SAFE_INTEGER;
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
