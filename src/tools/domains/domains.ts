/** The domains that this build knows. */
import type { Domain } from './domain.ts';
import { mab } from './mab/mab.ts';

export const DOMAINS: readonly Domain[] = [
  // Where a question fits several equally, the first wins. A new one is one line here: docs/new-domain.md.
  mab,
];
