import { Component } from 'preact';

interface GrowingTextProps {
  readonly text: string;
}

/** A text that is appended to its node in the document, so that a selection in it is kept. */
export class GrowingText extends Component<GrowingTextProps> {
  override shouldComponentUpdate({ text }: Readonly<GrowingTextProps>): boolean {
    const { base } = this;
    if (!(base instanceof Text)) return true;
    if (text.startsWith(base.data)) base.appendData(text.slice(base.data.length));
    else base.data = text;
    return false;
  }

  override render({ text }: GrowingTextProps) {
    return text;
  }
}
