import { Component } from 'preact';

interface GrowingTextProps {
  readonly text: string;
}

/** A text whose node stays and grows with it, so that what is selected in it stays selected. */
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
