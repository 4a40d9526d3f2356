interface ActionProps {
  readonly icon: string;
  /** Its tooltip and accessible name. */
  readonly label: string;
  readonly onClick: () => unknown;
}

/** A button of a toolbar. */
export function Action({ icon, label, onClick }: ActionProps) {
  return <vscode-toolbar-button icon={icon} label={label} title={label} onClick={() => void onClick()} />;
}
