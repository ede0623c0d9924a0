/** JSON with the keys of every object in order, so that equal values have equal texts. Pure. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  const parts = fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`);
  return `{${parts.join(',')}}`;
}
