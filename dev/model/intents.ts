/**
 * The demo model's rules, in the order in which they are tried. A new one is a file in `intents/`
 * and a line here; the README prints the examples.
 */
import type { Intent } from './intent.ts';
import { arithmetic } from './intents/arithmetic.ts';
import { bandit } from './intents/bandit.ts';
import { listing, reading, searching, writing } from './intents/files.ts';
import { python } from './intents/python.ts';
import { table } from './intents/table.ts';

export const INTENTS: readonly Intent[] = [
  python,
  bandit,
  writing,
  arithmetic,
  searching,
  listing,
  reading,
  table,
];
