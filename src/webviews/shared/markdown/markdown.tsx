import './markdown.css';
import * as l10n from '@vscode/l10n';
import { type ComponentChild, h } from 'preact';
import { memo } from 'preact/compat';
import { useMemo, useRef } from 'preact/hooks';
import { CopyButton } from '../copy-button.tsx';
import { type Blocks, readBlocks } from './blocks.ts';
import { GrowingText } from './growing-text.ts';
import { toSafeFragment } from './safe-html.ts';

interface MarkdownProps {
  readonly text: string;
  /** The level of its headings, one below the enclosing ones. */
  readonly headings: 2 | 4;
  /** Whether more of it will follow. */
  readonly isGrowing?: boolean;
}

/**
 * Text that a model wrote as Markdown; everything that could run, load or imitate the panel is removed. While it
 * grows, the document keeps what is drawn, selected and scrolled.
 */
export function Markdown({ text, headings, isGrowing = false }: MarkdownProps) {
  const before = useRef<Blocks | undefined>(undefined);
  const blocks = useMemo(() => readBlocks(text, isGrowing, before.current), [text, isGrowing]);
  before.current = blocks;
  return (
    <div class="markdown">
      {blocks.html.map((html, index) => (
        <Block key={index} html={html} headings={headings} />
      ))}
    </div>
  );
}

const Block = memo(function Block({ html, headings }: { readonly html: string; readonly headings: 2 | 4 }) {
  return <>{drawn(toSafeFragment(html, headings))}</>;
});

function drawn(parent: Node): ComponentChild[] {
  return [...parent.childNodes].map((node, index) => {
    if (!(node instanceof Element)) return <GrowingText key={index} text={node.textContent ?? ''} />;
    return node.localName === 'pre' ? <Code key={index} block={node} /> : element(node, index);
  });
}

function element(node: Element, key: number): ComponentChild {
  const attributes = Object.fromEntries([...node.attributes].map(({ name, value }) => [name, value]));
  return h(node.localName, { key, ...attributes }, ...drawn(node));
}

/** A block of code with its language, and a button that copies it. */
function Code({ block }: { readonly block: Element }) {
  const language = block.getAttribute('data-language') ?? '';
  const text = block.textContent ?? '';
  return (
    <div class="copyable code-block">
      {language !== '' && <span class="language">{language}</span>}
      <span class="copy-place">
        <CopyButton kind="code" text={() => text} label={l10n.t('Copy Code')} />
      </span>
      {element(block, 0)}
    </div>
  );
}
