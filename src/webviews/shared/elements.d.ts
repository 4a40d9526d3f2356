import 'preact';

/** The web components of @vscode-elements that the webviews use, typed for Preact. */
declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
      'vscode-button': HTMLAttributes<HTMLElement> & {
        secondary?: boolean;
        disabled?: boolean;
        icon?: string;
        type?: 'button' | 'submit';
      };
      'vscode-toolbar-button': HTMLAttributes<HTMLElement> & {
        icon?: string;
        label?: string;
        toggleable?: boolean;
        checked?: boolean;
      };
    }
  }
}
