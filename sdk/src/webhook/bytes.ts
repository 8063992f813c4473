/**
 * The bytes of a raw body; undefined if it is not one. Does not use `instanceof`, because test runners and sandboxes
 * have their own `Uint8Array` class.
 */
export function toBytes(body: unknown): Uint8Array | undefined {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  return isArrayBuffer(body) ? new Uint8Array(body) : undefined;
}

function isArrayBuffer(value: unknown): value is ArrayBuffer {
  return Object.prototype.toString.call(value) === '[object ArrayBuffer]';
}
