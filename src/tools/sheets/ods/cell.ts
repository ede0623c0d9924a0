/**
 * What stands inside one cell of an OpenDocument table, as it is parsed: paragraphs with their spans,
 * links, a comment. Drawings and reading aids are passed over.
 */
import type { CellStyle } from '../book.ts';
import type { XmlAttributes } from '../xml.ts';
import type { OdsLook, OdsStyles } from './styles.ts';
import { createOdsText, spaces } from './text.ts';
import type { OdsText } from './values.ts';

export interface OdsCellReader {
  open(name: string, attributes: XmlAttributes): void;
  text(text: string): void;
  /** True when this was the end of the cell itself. */
  close(name: string): boolean;
  finish(): {
    text: OdsText;
    links: readonly string[];
    comments: readonly { author: string | null; text: string }[];
    /** Links and comments beyond those that one cell may have. */
    leftOut: number;
  };
}

/** More in one cell is no document. */
const MAX_LINKS = 100;
const MAX_COMMENTS = 20;
const MAX_AUTHOR_CHARS = 200;

const CHARACTERS: Readonly<Record<string, string>> = { tab: '\t', 'line-break': '\n' };

/** `look`: of the cell, which its text has outside of spans. */
export function createOdsCellReader(look: OdsLook, styles: OdsStyles): OdsCellReader {
  const cellText = createOdsText();
  const links: string[] = [];
  const comments: { author: string | null; text: string }[] = [];
  let comment: { author: string; text: ReturnType<typeof createOdsText> } | null = null;
  let leftOut = 0;
  let skipping = 0;
  let inParagraph = false;
  let inAuthor = false;
  /** Fonts of the spans that are open, the innermost last. */
  let fonts: CellStyle[] = [];

  const target = () => comment?.text ?? cellText;
  const font = () => fonts.at(-1) ?? (comment === null ? look.font : {});

  function openInParagraph(name: string, attributes: XmlAttributes): void {
    const character = name === 's' ? spaces(attributes.c) : CHARACTERS[name];
    if (name === 'ruby-text' || name === 'annotation') skipping = 1;
    else if (character !== undefined) {
      target().addExactly(character, font());
      fonts.push(font());
    } else {
      const plain = comment === null;
      if (name === 'a' && attributes.href && plain) addLink(attributes.href);
      const style = name === 'span' && plain ? attributes['style-name'] : undefined;
      fonts.push(style === undefined ? font() : styles.span(style, font()));
    }
  }
  function addLink(target: string): void {
    if (links.length < MAX_LINKS) links.push(target);
    else leftOut++;
  }
  function endComment(): void {
    if (comment === null) return;
    const author = comment.author.trim().slice(0, MAX_AUTHOR_CHARS);
    const { text } = comment.text.finish({});
    if (comments.length < MAX_COMMENTS) {
      comments.push({ author: author === '' ? null : author, text });
    } else leftOut++;
    comment = null;
  }
  return {
    open(name, attributes) {
      if (skipping > 0) skipping++;
      else if (inParagraph) openInParagraph(name, attributes);
      else if (name === 'p' || name === 'h') {
        target().startParagraph();
        inParagraph = true;
      } else if (name === 'annotation' && comment === null) {
        comment = { author: '', text: createOdsText() };
      } else if (name === 'creator' && comment !== null) inAuthor = true;
      else skipping = 1;
    },
    text(text) {
      if (skipping > 0) return;
      if (inAuthor && comment !== null) comment.author += text.slice(0, MAX_AUTHOR_CHARS);
      else if (inParagraph) target().add(text, font());
    },
    close(name) {
      if (skipping > 0) skipping--;
      else if (name === 'p' || name === 'h') {
        inParagraph = false;
        fonts = [];
      } else if (inParagraph) fonts.pop();
      else if (name === 'creator') inAuthor = false;
      else if (name === 'annotation') endComment();
      else return true;
      return false;
    },
    finish: () => ({ text: cellText.finish(look.font), links, comments, leftOut }),
  };
}
