import './markdown.css';
import * as l10n from '@vscode/l10n';
import { type ComponentChild, h } from 'preact';
import { memo } from 'preact/compat';
import { useContext, useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { CopyButton } from '../copy-button.tsx';
import { type Blocks, readBlocks } from './blocks.ts';
import { CodeColors } from './code-coloring.ts';
import { GrowingText } from './growing-text.ts';
import { type HeadingLevel, toSafeFragment } from './safe-html.ts';

/** How many blocks are compared and laid out together, because an answer may have thousands of blocks. */
const SECTION_SIZE = 50;

interface MarkdownProps {
  readonly text: string;
  readonly headings: HeadingLevel;
  /** Whether more of the text will follow. */
  readonly isGrowing?: boolean;
}

/**
 * Shows Markdown that a model wrote, without anything that could run, load something or imitate the panel. While the
 * text grows, the elements, selections and scroll positions stay.
 */
export function Markdown({ text, headings, isGrowing = false }: MarkdownProps) {
  const before = useRef<Blocks | undefined>(undefined);
  const blocks = useMemo(() => readBlocks(text, isGrowing, before.current), [text, isGrowing]);
  before.current = blocks;
  const sections = Math.ceil(blocks.html.length / SECTION_SIZE);
  /** The sections that the last frame has drawn. */
  const drawnSections = useRef(0);
  useEffect(() => {
    drawnSections.current = sections;
  });
  return (
    <div class="markdown">
      {Array.from({ length: sections }, (_, at) => (
        <Section
          key={at}
          parts={blocks.html.slice(at * SECTION_SIZE, (at + 1) * SECTION_SIZE)}
          headings={headings}
          isOpen={isGrowing && at === sections - 1}
          // The last drawn section may have grown since.
          isDrawn={at < drawnSections.current - 1}
        />
      ))}
    </div>
  );
}

interface PartsProps<Part> {
  readonly parts: readonly Part[];
  readonly headings: HeadingLevel;
  /** Whether more of the last part will follow. */
  readonly isOpen: boolean;
}

function areEqual<Part>(before: PartsProps<Part>, after: PartsProps<Part>): boolean {
  return (
    before.headings === after.headings &&
    before.isOpen === after.isOpen &&
    before.parts.length === after.parts.length &&
    before.parts.every((part, index) => part === after.parts[index])
  );
}

interface SectionProps extends PartsProps<readonly string[]> {
  /** Whether the section has a size to keep while it is out of sight. */
  readonly isDrawn: boolean;
}

const Section = memo(
  function Section({ parts, headings, isOpen, isDrawn }: SectionProps) {
    return (
      <div class={isDrawn ? 'section drawn' : 'section'}>
        {parts.map((pieces, index) => (
          <Block
            key={index}
            parts={pieces}
            headings={headings}
            isOpen={isOpen && index === parts.length - 1}
          />
        ))}
      </div>
    );
  },
  (before, after) => before.isDrawn === after.isDrawn && areEqual(before, after),
);

/** Elements of the blocks that are divided into pieces when they are long. */
const DIVISIBLE: ReadonlySet<string> = new Set(['ul', 'ol', 'table', 'pre']);

const Block = memo(function Block({ parts, headings, isOpen }: PartsProps<string>) {
  const [first = ''] = parts;
  const fragment = useMemo(() => toSafeFragment(first, headings), [first, headings]);
  const root = fragment.firstElementChild;
  if (root === null || !DIVISIBLE.has(root.localName)) return <>{contentOf(fragment, isOpen)}</>;
  const pieces = parts.map((html, index) => (
    <Piece
      key={index}
      html={html}
      isFirst={index === 0}
      headings={headings}
      isOpen={isOpen && index === parts.length - 1}
    />
  ));
  return root.localName === 'pre' ? (
    <Code block={root} pieces={pieces} isOpen={isOpen} />
  ) : (
    element(root, 0, pieces)
  );
}, areEqual);

interface PieceProps {
  readonly html: string;
  readonly isFirst: boolean;
  readonly headings: HeadingLevel;
  readonly isOpen: boolean;
}

/** The children of one piece of a list, a table or a block of code. All pieces of a block share one parent. */
const Piece = memo(function Piece({ html, isFirst, headings, isOpen }: PieceProps) {
  const root = toSafeFragment(html, headings).firstElementChild;
  if (root === null) return null;
  if (root.localName === 'pre')
    return <GrowingText text={(isFirst ? '' : '\n') + (root.textContent ?? '')} />;
  // Every piece of a table repeats the head.
  if (!isFirst) root.querySelector(':scope > thead')?.remove();
  return <>{contentOf(root, isOpen)}</>;
});

/** The content of sanitized HTML as elements of Preact. */
function contentOf(parent: Node, isOpen: boolean): ComponentChild[] {
  return [...parent.childNodes].map((node, index) => {
    if (!(node instanceof Element)) return <GrowingText key={index} text={node.textContent ?? ''} />;
    return node.localName === 'pre' ? (
      <Code key={index} block={node} isOpen={isOpen} />
    ) : (
      element(node, index, contentOf(node, isOpen))
    );
  });
}

function element(node: Element, key: number, children: readonly ComponentChild[]) {
  const attributes = Object.fromEntries([...node.attributes].map(({ name, value }) => [name, value]));
  return h(node.localName, { key, ...attributes }, ...children);
}

interface CodeProps {
  readonly block: Element;
  /** The pieces of the block's text, if it is divided. */
  readonly pieces?: readonly ComponentChild[];
  /** Whether more of the block may follow. */
  readonly isOpen: boolean;
}

/** A block of code with its language, and a button that copies it. */
function Code({ block, pieces, isOpen }: CodeProps) {
  const box = useRef<HTMLDivElement>(null);
  const coloring = useContext(CodeColors);
  const language = block.getAttribute('data-language') ?? '';
  useLayoutEffect(() => {
    if (box.current !== null) coloring?.update(box.current, language, isOpen);
  });
  useLayoutEffect(() => {
    const drawnBox = box.current;
    return () => {
      if (drawnBox !== null) coloring?.remove(drawnBox);
    };
  }, [coloring]);
  const text = () => box.current?.querySelector('pre')?.textContent ?? '';
  return (
    <div ref={box} class="copyable code-block">
      {language !== '' && <span class="language">{language}</span>}
      <span class="copy-place">
        <CopyButton kind="code" text={text} label={l10n.t('Copy Code')} />
      </span>
      {element(block, 0, pieces === undefined ? contentOf(block, isOpen) : [<code key={0}>{pieces}</code>])}
    </div>
  );
}
