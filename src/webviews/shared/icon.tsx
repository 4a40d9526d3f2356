/** A decorative codicon; the text or label beside it gives its meaning. */
export function Icon({ name, spin = false }: { readonly name: string; readonly spin?: boolean }) {
  const className = `codicon codicon-${name}${spin ? ' codicon-modifier-spin' : ''}`;
  return <span class={className} aria-hidden="true" />;
}
