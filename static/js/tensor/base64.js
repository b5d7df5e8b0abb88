// Bytes that a page carries as text.

/** The bytes of a base64 text. */
export function unpacked(base64) {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
