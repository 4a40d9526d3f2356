import './error-boundary.css';
import * as l10n from '@vscode/l10n';
import { Component, type ComponentChildren } from 'preact';
import { cut } from './cut.ts';
import { toText } from './to-text.ts';

interface ErrorBoundaryProps {
  /** The value that the children draw; when it changes, they are drawn again. */
  readonly of: unknown;
  readonly children: ComponentChildren;
}

interface ErrorBoundaryState {
  readonly of: unknown;
  readonly hasFailed: boolean;
}

/** The maximum number of characters of a value that are shown as text. */
const MAX_LENGTH = 20_000;

/**
 * Shows a value as plain text when drawing it fails, so that the rest of the panel is still drawn.
 */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { of: this.props.of, hasFailed: false };

  static override getDerivedStateFromProps(
    { of }: ErrorBoundaryProps,
    state: ErrorBoundaryState,
  ): ErrorBoundaryState {
    return of === state.of ? state : { of, hasFailed: false };
  }

  static override getDerivedStateFromError(): Partial<ErrorBoundaryState> {
    return { hasFailed: true };
  }

  /** The host logs what is reported. */
  override componentDidCatch(error: unknown): void {
    reportError(error);
  }

  override render({ of, children }: ErrorBoundaryProps, { hasFailed }: ErrorBoundaryState) {
    if (!hasFailed) return children;
    return (
      <div class="undrawn">
        <p class="muted">{l10n.t('This could not be displayed, so it is shown as text.')}</p>
        <pre>{cut(toText(of, 2), MAX_LENGTH)}</pre>
      </div>
    );
  }
}
