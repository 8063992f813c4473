/**
 * A self-signed X.509 certificate for a TLS server. Node signs, but does not write certificates; this is the one kind
 * that Votary needs, in DER (ITU-T X.690, RFC 5280). `test/secrets/self-signed.test.ts` compares it with a library.
 *
 *   const pem = createSelfSigned({ privateKey, commonName: 'Votary', names: ['localhost', '::1'], from, to });
 */
import { createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import ipaddr from 'ipaddr.js';
import type { Instant } from '../domain/clock.ts';

type Request = {
  /** On an elliptic curve: the signature is ECDSA with SHA-256. */
  privateKey: KeyObject;
  commonName: string;
  /** Host names in ASCII, and IP addresses. */
  names: readonly string[];
  from: Instant;
  to: Instant;
};

export function createSelfSigned({ privateKey, commonName, names, from, to }: Request): string {
  if (privateKey.asymmetricKeyType !== 'ec') throw new Error('the key is not on an elliptic curve');
  const owner = sequence(set(sequence(oid('550403'), der(UTF8_STRING, Buffer.from(commonName)))));
  const signed = sequence(
    der(VERSION, integer(2)),
    integer(...serialNumber()),
    ECDSA_WITH_SHA256,
    owner,
    sequence(time(from), time(to)),
    owner,
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
    der(EXTENSIONS, sequence(...SERVER_EXTENSIONS, extension('551d11', sequence(...names.map(generalName))))),
  );
  const certificate = sequence(signed, ECDSA_WITH_SHA256, bits(0, sign('sha256', signed, privateKey)));
  const lines = certificate.toString('base64').replace(/.{64}(?!$)/g, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

/** Universal tags, and the context-specific ones of a certificate. */
const [BOOLEAN, INTEGER, BIT_STRING, OCTET_STRING, OBJECT_IDENTIFIER] = [0x01, 0x02, 0x03, 0x04, 0x06];
const [UTF8_STRING, UTC_TIME, GENERALIZED_TIME, SEQUENCE, SET] = [0x0c, 0x17, 0x18, 0x30, 0x31];
const [VERSION, EXTENSIONS, DNS_NAME, IP_ADDRESS] = [0xa0, 0xa3, 0x82, 0x87];

function der(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.of(tag), length(content.length), content]);
}

/** Below 128 in one byte; otherwise the number of bytes comes first. */
function length(bytes: number): Buffer {
  if (bytes < 0x80) return Buffer.of(bytes);
  const digits = bytes < 0x100 ? [bytes] : [bytes >> 8, bytes & 0xff];
  return Buffer.of(0x80 | digits.length, ...digits);
}

const sequence = (...contents: Buffer[]) => der(SEQUENCE, ...contents);
const set = (...contents: Buffer[]) => der(SET, ...contents);
const integer = (...bytes: number[]) => der(INTEGER, Buffer.of(...bytes));
const bits = (unused: number, content: Buffer) => der(BIT_STRING, Buffer.of(unused), content);
/** The encoded identifier in hexadecimal. */
const oid = (hex: string) => der(OBJECT_IDENTIFIER, Buffer.from(hex, 'hex'));

/** Positive, and in the shortest form: the first byte is from 0x40 to 0x7f. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = 0x40 | (bytes.readUInt8() & 0x3f);
  return bytes;
}

/** With two digits of the year until 2049, as RFC 5280 requires. */
function time(instant: Instant): Buffer {
  const digits = `${new Date(instant).toISOString().replace(/\D/g, '').slice(0, 14)}Z`;
  return digits < '2050'
    ? der(UTC_TIME, Buffer.from(digits.slice(2)))
    : der(GENERALIZED_TIME, Buffer.from(digits));
}

function generalName(name: string): Buffer {
  return isIP(name) ? der(IP_ADDRESS, addressBytes(name)) : der(DNS_NAME, Buffer.from(name, 'ascii'));
}

/** The URL parser writes an address like ::1.2.3.4 without dots, which the library would take for ::ffff:1.2.3.4. */
function addressBytes(address: string): Buffer {
  const plain = isIPv6(address) ? domainToASCII(`[${address}]`).slice(1, -1) : address;
  return Buffer.from(ipaddr.parse(plain).toByteArray());
}

function extension(id: string, value: Buffer, { isCritical = false } = {}): Buffer {
  const critical = isCritical ? [der(BOOLEAN, Buffer.of(0xff))] : [];
  return sequence(oid(id), ...critical, der(OCTET_STRING, value));
}

const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'));

/** Not an authority (basicConstraints); digitalSignature (keyUsage); serverAuth (extKeyUsage). */
const SERVER_EXTENSIONS = [
  extension('551d13', sequence(), { isCritical: true }),
  extension('551d0f', bits(7, Buffer.of(0x80)), { isCritical: true }),
  extension('551d25', sequence(oid('2b06010505070301'))),
];
