import type { Draft } from './draft.ts';
import type { Field } from './field.ts';
import type { Problems } from './read-form.ts';

/** The props of every field of a form. */
export interface FieldProps<F extends Field = Field> {
  readonly field: F;
  readonly draft: Draft;
  readonly label: string;
  readonly required: boolean;
  /** The path in the form. */
  readonly path: readonly string[];
  readonly problems: Problems;
  readonly onChange: (draft: Draft) => void;
}
