/** A codicon, for the eye only: what it means is said by the text or label beside it. */
export function Icon({ name, spin = false }: { readonly name: string; readonly spin?: boolean }) {
  const className = `codicon codicon-${name}${spin ? ' codicon-modifier-spin' : ''}`;
  return <span class={className} aria-hidden="true" />;
}
