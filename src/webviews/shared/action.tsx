interface ActionProps {
  readonly icon: string;
  /** The tooltip and accessible name. */
  readonly label: string;
  readonly onClick: () => unknown;
}

/** An icon button, for example in a toolbar. */
export function Action({ icon, label, onClick }: ActionProps) {
  return <vscode-toolbar-button icon={icon} label={label} title={label} onClick={() => void onClick()} />;
}
