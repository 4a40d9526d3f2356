import * as l10n from '@vscode/l10n';
import type { Field, FieldOf } from './field.ts';

/** The text below a field: its description and its limits. */
export function Hint({ id, field }: { readonly id?: string; readonly field: Field }) {
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

/**
 * Whether a limit is worth showing. Zod limits every integer to the numbers that JavaScript represents
 * exactly, which users need not know.
 */
function isRealLimit(limit: number | undefined): limit is number {
  return limit !== undefined && Math.abs(limit) < Number.MAX_SAFE_INTEGER;
}

/** The mark of a required field. */
export function RequiredMark({ required }: { readonly required: boolean }) {
  return required ? (
    <span class="needed" title={l10n.t('Required')}>
      <span aria-hidden="true"> *</span>
    </span>
  ) : null;
}

export function Problem({
  id,
  text,
}: {
  readonly id: string | undefined;
  readonly text: string | undefined;
}) {
  return text === undefined ? null : (
    <p class="invalid" id={id}>
      {text}
    </p>
  );
}
