/** The word `domain` in requests: "auto", "none", or a domain that this deployment knows. */
import { DOMAIN_CHOICES } from '../tools/domains/domain.ts';
import type { Registry } from '../tools/registry.ts';
import type { FieldFault } from './input.ts';

/** The fault of a domain that nobody knows, naming those there are; empty when it is known. */
export function domainFault(asked: string | undefined, { domains }: Registry): FieldFault[] {
  const known = [...DOMAIN_CHOICES, ...domains.map(({ name }) => name)];
  if (asked === undefined || known.includes(asked)) return [];
  const message = `there is no domain "${asked}"; available are ${known.join(', ')}`;
  return [{ field: 'domain', message }];
}
