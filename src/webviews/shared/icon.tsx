/** A codicon, hidden from screen readers; the text or label beside it says the same. */
export function Icon({ name, spin = false }: { readonly name: string; readonly spin?: boolean }) {
  const className = `codicon codicon-${name}${spin ? ' codicon-modifier-spin' : ''}`;
  return <span class={className} aria-hidden="true" />;
}
