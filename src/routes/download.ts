/**
 * Answers that carry bytes somebody else wrote: never run, never sniffed, always saved. A browser
 * that opens one on our origin must get nothing from it.
 */

const encoder = new TextEncoder();

/** Headers for a download. `bytes` null: the length is not known. */
export function downloadHeaders(file: {
  name: string;
  mediaType: string;
  bytes: number | null;
}): Record<string, string> {
  return {
    'content-type': file.mediaType,
    'content-disposition': contentDisposition(file.name),
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-cache',
    ...(file.bytes === null ? {} : { 'content-length': String(file.bytes) }),
  };
}

/** RFC 6266: an ASCII stand-in for old clients, and the whole name in RFC 8187's encoding. */
export function contentDisposition(name: string): string {
  const base = name.slice(name.lastIndexOf('/') + 1);
  const ascii = base.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_');
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encodeExtended(base)}`;
}

/** Everything but RFC 8187's attr-char as percent-encoded UTF-8. */
function encodeExtended(text: string): string {
  return [...encoder.encode(text)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      if (/[A-Za-z0-9!#$&+.^_`|~-]/.test(character)) return character;
      return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

/** A media type that is safe to send back: one type and subtype, no parameters, or null. */
export function plainMediaType(given: string | null | undefined): string | null {
  const type = given?.split(';')[0]?.trim().toLowerCase() ?? '';
  return /^[a-z0-9][\w.+-]{0,100}\/[a-z0-9][\w.+-]{0,100}$/.test(type) ? type : null;
}
