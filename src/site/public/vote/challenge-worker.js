/*
 * Solves a challenge in the format of ALTCHA 2: finds the counter whose PBKDF2 key starts with the given bytes. Several
 * keys are derived at a time, so that the browser can use more than one core.
 */
const KEYS_AT_ONCE = 8;

self.addEventListener('message', async ({ data: parameters }) => {
  self.postMessage(await solve(parameters));
});

async function solve({ nonce, salt, cost, keyLength, keyPrefix }) {
  const start = performance.now();
  const settings = { name: 'PBKDF2', hash: 'SHA-256', salt: fromHex(salt), iterations: cost };
  const derive = async (counter) => {
    const key = await crypto.subtle.importKey('raw', passwordOf(nonce, counter), 'PBKDF2', false, [
      'deriveBits',
    ]);
    return toHex(await crypto.subtle.deriveBits(settings, key, keyLength * 8));
  };
  for (let first = 0; ; first += KEYS_AT_ONCE) {
    const counters = Array.from({ length: KEYS_AT_ONCE }, (_, index) => first + index);
    const keys = await Promise.all(counters.map(derive));
    const index = keys.findIndex((key) => key.startsWith(keyPrefix));
    if (index >= 0)
      return { counter: first + index, derivedKey: keys[index], time: performance.now() - start };
  }
}

/** The bytes of the nonce, then the counter as a big-endian number of 32 bits. */
function passwordOf(nonce, counter) {
  const bytes = fromHex(nonce);
  const password = new Uint8Array(bytes.length + 4);
  password.set(bytes);
  new DataView(password.buffer).setUint32(bytes.length, counter);
  return password;
}

function fromHex(text) {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function toHex(buffer) {
  return Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
