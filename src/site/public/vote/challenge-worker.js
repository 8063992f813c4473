/*
 * Solves a challenge in the format of ALTCHA 2: finds the counter whose scrypt key starts with the given bytes. Tries
 * `first` and every `step`th counter after it. Browsers have no scrypt of their own; this one takes less than twice the
 * time of a native one, because it is mostly additions, rotations and waiting for memory.
 */
self.addEventListener('message', async ({ data: { parameters, first, step } }) => {
  self.postMessage(await solve(parameters, first, step));
});

async function solve({ nonce, salt, cost, memoryCost, keyLength, keyPrefix }, first, step) {
  const start = performance.now();
  const mix = createMix(cost, memoryCost);
  for (let counter = first; ; counter += step) {
    const password = passwordOf(nonce, counter);
    const mixed = mix(await pbkdf2(password, fromHex(salt), 128 * memoryCost));
    const derivedKey = toHex(await pbkdf2(password, mixed, keyLength));
    if (derivedKey.startsWith(keyPrefix)) return { counter, derivedKey, time: performance.now() - start };
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

/** With one iteration, as scrypt uses it. */
async function pbkdf2(password, salt, length) {
  const key = await crypto.subtle.importKey('raw', password, 'PBKDF2', false, ['deriveBits']);
  const settings = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations: 1 };
  return crypto.subtle.deriveBits(settings, key, length * 8);
}

/** The function ROMix of scrypt (RFC 7914), whose memory is used again for every key. Words are little-endian. */
function createMix(blocks, blockSize) {
  const words = 32 * blockSize;
  const memory = new Uint32Array(blocks * words);
  return (bytes) => {
    let block = new Uint32Array(bytes);
    let next = new Uint32Array(words);
    for (let i = 0; i < blocks; i += 1) {
      memory.set(block, i * words);
      mixBlock(block, next, blockSize);
      [block, next] = [next, block];
    }
    for (let i = 0; i < blocks; i += 1) {
      const from = (block[words - 16] & (blocks - 1)) * words;
      for (let k = 0; k < words; k += 1) block[k] ^= memory[from + k];
      mixBlock(block, next, blockSize);
      [block, next] = [next, block];
    }
    return block;
  };
}

const state = new Uint32Array(16);

/** BlockMix: the results with even numbers come first. */
function mixBlock(input, output, blockSize) {
  state.set(input.subarray((2 * blockSize - 1) * 16));
  for (let i = 0; i < 2 * blockSize; i += 1) {
    const half = i & 1 ? blockSize : 0;
    salsa(input, i * 16, output, (half + (i >> 1)) * 16);
  }
}

/**
 * Salsa20/8 of the state and 16 words of the input, stored in both. Written out with local variables, which makes it
 * ten times faster than arrays.
 */
function salsa(input, from, output, to) {
  const s0 = state[0] ^ input[from + 0];
  const s1 = state[1] ^ input[from + 1];
  const s2 = state[2] ^ input[from + 2];
  const s3 = state[3] ^ input[from + 3];
  const s4 = state[4] ^ input[from + 4];
  const s5 = state[5] ^ input[from + 5];
  const s6 = state[6] ^ input[from + 6];
  const s7 = state[7] ^ input[from + 7];
  const s8 = state[8] ^ input[from + 8];
  const s9 = state[9] ^ input[from + 9];
  const s10 = state[10] ^ input[from + 10];
  const s11 = state[11] ^ input[from + 11];
  const s12 = state[12] ^ input[from + 12];
  const s13 = state[13] ^ input[from + 13];
  const s14 = state[14] ^ input[from + 14];
  const s15 = state[15] ^ input[from + 15];
  let x0 = s0;
  let x1 = s1;
  let x2 = s2;
  let x3 = s3;
  let x4 = s4;
  let x5 = s5;
  let x6 = s6;
  let x7 = s7;
  let x8 = s8;
  let x9 = s9;
  let x10 = s10;
  let x11 = s11;
  let x12 = s12;
  let x13 = s13;
  let x14 = s14;
  let x15 = s15;
  for (let round = 0; round < 4; round += 1) {
    x4 ^= rotate((x0 + x12) | 0, 7);
    x8 ^= rotate((x4 + x0) | 0, 9);
    x12 ^= rotate((x8 + x4) | 0, 13);
    x0 ^= rotate((x12 + x8) | 0, 18);
    x9 ^= rotate((x5 + x1) | 0, 7);
    x13 ^= rotate((x9 + x5) | 0, 9);
    x1 ^= rotate((x13 + x9) | 0, 13);
    x5 ^= rotate((x1 + x13) | 0, 18);
    x14 ^= rotate((x10 + x6) | 0, 7);
    x2 ^= rotate((x14 + x10) | 0, 9);
    x6 ^= rotate((x2 + x14) | 0, 13);
    x10 ^= rotate((x6 + x2) | 0, 18);
    x3 ^= rotate((x15 + x11) | 0, 7);
    x7 ^= rotate((x3 + x15) | 0, 9);
    x11 ^= rotate((x7 + x3) | 0, 13);
    x15 ^= rotate((x11 + x7) | 0, 18);
    x1 ^= rotate((x0 + x3) | 0, 7);
    x2 ^= rotate((x1 + x0) | 0, 9);
    x3 ^= rotate((x2 + x1) | 0, 13);
    x0 ^= rotate((x3 + x2) | 0, 18);
    x6 ^= rotate((x5 + x4) | 0, 7);
    x7 ^= rotate((x6 + x5) | 0, 9);
    x4 ^= rotate((x7 + x6) | 0, 13);
    x5 ^= rotate((x4 + x7) | 0, 18);
    x11 ^= rotate((x10 + x9) | 0, 7);
    x8 ^= rotate((x11 + x10) | 0, 9);
    x9 ^= rotate((x8 + x11) | 0, 13);
    x10 ^= rotate((x9 + x8) | 0, 18);
    x12 ^= rotate((x15 + x14) | 0, 7);
    x13 ^= rotate((x12 + x15) | 0, 9);
    x14 ^= rotate((x13 + x12) | 0, 13);
    x15 ^= rotate((x14 + x13) | 0, 18);
  }
  state[0] = s0 + x0;
  state[1] = s1 + x1;
  state[2] = s2 + x2;
  state[3] = s3 + x3;
  state[4] = s4 + x4;
  state[5] = s5 + x5;
  state[6] = s6 + x6;
  state[7] = s7 + x7;
  state[8] = s8 + x8;
  state[9] = s9 + x9;
  state[10] = s10 + x10;
  state[11] = s11 + x11;
  state[12] = s12 + x12;
  state[13] = s13 + x13;
  state[14] = s14 + x14;
  state[15] = s15 + x15;
  output.set(state, to);
}

function rotate(word, bits) {
  return (word << bits) | (word >>> (32 - bits));
}

function fromHex(text) {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function toHex(buffer) {
  return Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
