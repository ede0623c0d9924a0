/**
 * Comments of an xlsx sheet: notes (the legacy part) and threads. Of a thread Excel also leaves a
 * note by an author `tc={id}` with a text for old versions; the thread itself takes its place.
 */
import type { SheetTail } from '../book.ts';
import { parseXml } from '../xml.ts';
import type { Zip } from '../zip.ts';
import type { Palette } from './colors.ts';
import { type ReadOptions, type Relation, relationsOf } from './parts.ts';
import { parseAddress } from './refs.ts';
import { createTextReader, unescapeText } from './strings.ts';

type Comment = SheetTail['comments'][number];

const MAX_COMMENTS = 100_000;

/** In order of rows, replies behind what they answer. `notes` takes what was damaged. */
export function readComments(
  zip: Zip,
  {
    relations,
    persons,
    notes,
    ...options
  }: {
    relations: Map<string, Relation>;
    /** Display names by id. */
    persons: ReadonlyMap<string, string>;
    notes: string[];
    palette: Palette;
  } & ReadOptions,
): Comment[] {
  const threads = relationsOf(relations, 'threadedComment').flatMap((part) =>
    zip.has(part) ? readThreads(zip, { part, persons, notes, ...options }) : [],
  );
  const threaded = new Set(threads.map(keyOf));
  const legacy = relationsOf(relations, 'comments').flatMap((part) =>
    zip.has(part) ? readNotes(zip, { part, notes, ...options }) : [],
  );
  const kept = legacy
    .filter((comment) => !(isPlaceholder(comment) && threaded.has(keyOf(comment))))
    .map((comment) => (isPlaceholder(comment) ? withoutPlaceholder(comment) : comment));
  return [...kept, ...threads].sort((a, b) => a.row - b.row || a.column - b.column);
}

function readNotes(
  zip: Zip,
  { part, notes, ...options }: { part: string; notes: string[]; palette: Palette } & ReadOptions,
): Comment[] {
  const authors: string[] = [];
  const comments: Comment[] = [];
  const reader = createTextReader(options.palette);
  let author: string | null = null;
  let current: { ref: string; authorId: number } | null = null;
  let inText = false;
  const result = parseXml(
    zip.chunks(part),
    {
      open(tag, attributes) {
        if (inText) reader.open(tag, attributes);
        else if (tag === 'author') author = '';
        else if (tag === 'comment') {
          current = { ref: attributes.ref ?? '', authorId: Number(attributes.authorId ?? -1) };
        } else if (tag === 'text') inText = current !== null;
      },
      text(text) {
        if (inText) reader.text(text);
        else if (author !== null) author += text;
      },
      close(tag) {
        if (tag === 'author' && author !== null) {
          authors.push(unescapeText(author));
          author = null;
        } else if (tag === 'text') inText = false;
        else if (tag === 'comment' && current !== null) {
          const address = parseAddress(current.ref);
          const { text } = reader.take();
          const by = authors[current.authorId]?.trim() || null;
          if (address && comments.length < MAX_COMMENTS) {
            comments.push({ ...address, author: by, text });
          }
          current = null;
        } else if (inText) reader.close(tag);
      },
    },
    options,
  );
  if (result.damage !== null) notes.push(`The part with the comments ${result.damage}.`);
  return comments;
}

function readThreads(
  zip: Zip,
  {
    part,
    persons,
    notes,
    ...options
  }: { part: string; persons: ReadonlyMap<string, string>; notes: string[] } & ReadOptions,
): Comment[] {
  const comments: Comment[] = [];
  let current: Comment | null = null;
  let inText = false;
  const result = parseXml(
    zip.chunks(part),
    {
      open(tag, { ref, personId }) {
        if (tag === 'threadedComment') {
          const address = parseAddress(ref ?? '');
          const author = persons.get(personId ?? '') ?? null;
          current = address && { ...address, author, text: '' };
        } else if (tag === 'text') inText = true;
      },
      text(text) {
        if (inText && current) current.text += text;
      },
      close(tag) {
        if (tag === 'text') inText = false;
        if (tag !== 'threadedComment' || current === null) return;
        if (comments.length < MAX_COMMENTS) {
          comments.push({ ...current, text: unescapeText(current.text) });
        }
        current = null;
      },
    },
    options,
  );
  if (result.damage !== null) notes.push(`The part with the comment threads ${result.damage}.`);
  return comments;
}

/** Display names of the people in comment threads, by their ids. */
export function readPersons(
  zip: Zip,
  { parts, ...options }: { parts: readonly string[] } & ReadOptions,
): Map<string, string> {
  const persons = new Map<string, string>();
  for (const part of parts) {
    if (!zip.has(part)) continue;
    parseXml(
      zip.chunks(part),
      {
        open(tag, { id, displayName }) {
          if (tag !== 'person' || id === undefined || displayName === undefined) return;
          if (persons.size < MAX_COMMENTS) persons.set(id, displayName);
        },
      },
      options,
    );
  }
  return persons;
}

function isPlaceholder({ author, text }: Comment): boolean {
  return text.startsWith('[Threaded comment]') || /^tc=\{/.test(author ?? '');
}

/** The thread itself is lost: the note for old versions still holds its words, behind `Comment:`. */
function withoutPlaceholder(comment: Comment): Comment {
  const words = /^\[Threaded comment\][\s\S]*?\bComment:\s*([\s\S]*)$/.exec(comment.text)?.[1];
  const author = /^tc=\{/.test(comment.author ?? '') ? null : comment.author;
  return { ...comment, author, text: words ?? comment.text };
}

function keyOf({ row, column }: Comment): string {
  return `${row}:${column}`;
}
