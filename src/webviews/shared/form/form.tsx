import './form.css';
import * as l10n from '@vscode/l10n';
import { useEffect, useRef } from 'preact/hooks';
import { type Draft, draftAt, emptyDraft, isBlank, isListDraft, isObjectDraft, shownDraft } from './draft.ts';
import type { Choice, FieldOf } from './field.ts';
import type { FieldProps } from './field-props.ts';
import { Problem, RequiredMark } from './field-text.tsx';
import { BooleanField, JsonField, LineField } from './leaf-fields.tsx';
import type { Problems } from './read-form.ts';

interface SchemaFormProps {
  readonly field: FieldOf<'object'>;
  readonly draft: Draft;
  readonly problems: Problems;
  readonly onChange: (draft: Draft) => void;
  /** Whether the first invalid field gets the focus: if problems appear on submitting, not while typing. */
  readonly leadsToProblem?: boolean;
}

/** The fields of a form. */
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
  const values = isObjectDraft(shown) ? shown : {};
  const change = (name: string, inner: Draft): void => {
    const changed = { ...values, [name]: inner };
    // An optional object without contents is absent.
    onChange(!required && isBlank(changed) ? undefined : changed);
  };
  return (
    <>
      {field.properties.map(({ name, required, field: property }) => (
        <FormField
          key={name}
          field={property}
          draft={draftAt(values, name, property)}
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
        <RequiredMark required={required} />
      </legend>
      {field.description !== undefined && <p class="hint">{field.description}</p>}
      {children}
      <Problem id={undefined} text={problems[path.join('.')]} />
    </fieldset>
  );
}

function Items({ field, draft, path, problems, onChange }: FieldProps<FieldOf<'list'>>) {
  const shown = shownDraft(field, draft);
  const items = isListDraft(shown) ? shown : [];
  const { item } = field;
  if (item.kind === 'choice' && items.every((chosen) => typeof chosen === 'string'))
    return <Checks choices={item.choices} chosen={items} onChange={onChange} />;
  const replace = (index: number, ...entries: readonly Draft[]) =>
    onChange(items.toSpliced(index, 1, ...entries));
  return (
    <>
      {items.map((entry, index) => {
        const number = index + 1;
        const label = item.title ?? l10n.t('Item {0}', number);
        return (
          <div key={index} class="entry">
            <FormField
              field={item}
              draft={entry}
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
      <button type="button" class="link add" onClick={() => onChange([...items, emptyDraft(item)])}>
        {l10n.t('Add Item')}
      </button>
    </>
  );
}

/** A list of choices as checkboxes; the list has the order in which the user checks them. */
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
