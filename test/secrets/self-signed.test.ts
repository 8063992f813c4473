import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { generate } from 'selfsigned';
import { createSelfSigned } from '../../src/secrets/self-signed.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const [FROM, TO] = [Date.parse('2026-11-15T12:34:56Z'), Date.parse('2036-11-12T12:34:56Z')];

function certificateFor(names: readonly string[], { from = FROM, to = TO } = {}): X509Certificate {
  return new X509Certificate(createSelfSigned({ privateKey, commonName: 'A test', names, from, to }));
}

/** As the library writes it, which is used by tests only. */
async function certificateOfLibrary(
  names: readonly { ip?: string; dns?: string }[],
): Promise<X509Certificate> {
  const [key, publicKey] = [
    privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString(),
  ];
  const { cert } = await generate([{ name: 'commonName', value: 'A test' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    keyPair: { privateKey: key, publicKey },
    notBeforeDate: new Date(FROM),
    notAfterDate: new Date(TO),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: names.map(({ ip, dns = '' }) =>
          ip === undefined ? { type: 2, value: dns } : { type: 7, ip },
        ),
      },
    ],
  });
  return new X509Certificate(cert);
}

/** Everything that is not random, and the part with the extensions as it is encoded. */
function contentOf(certificate: X509Certificate) {
  const { subject, issuer, validFrom, validTo, subjectAltName, keyUsage, ca, signatureAlgorithm } =
    certificate;
  const extensions = certificate.raw.subarray(certificate.raw.indexOf(Buffer.from('0603551d13', 'hex')));
  const spki = certificate.publicKey.export({ type: 'spki', format: 'der' });
  return {
    ...{ subject, issuer, validFrom, validTo, subjectAltName, keyUsage, ca, signatureAlgorithm },
    spki: spki.toString('hex'),
    extensions: extensions
      .subarray(0, extensions.indexOf(Buffer.from('2a8648ce3d040302', 'hex')))
      .toString('hex'),
  };
}

test('the certificate has the content that a library writes', async () => {
  const names = [
    { dns: 'localhost' },
    { ip: '127.0.0.1' },
    { ip: '::1' },
    { dns: 'votes.example.org' },
    { ip: '2001:db8::7' },
    { dns: `${'long-label.'.repeat(20)}example.org` },
  ];
  const own = certificateFor(names.map(({ ip, dns }) => ip ?? dns ?? ''));
  assert.deepEqual(contentOf(own), contentOf(await certificateOfLibrary(names)));
});

test('the signature can be verified with the key of the certificate, which is that of the private key', () => {
  const certificate = certificateFor(['localhost']);
  assert.ok(certificate.verify(certificate.publicKey));
  assert.ok(certificate.checkPrivateKey(privateKey));
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  assert.equal(certificate.verify(other.publicKey), false);
});

test('any number of names and addresses is contained in the certificate, and no other', () => {
  const names = fc.array(fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6()), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(names, (given) => {
      const certificate = certificateFor(given);
      for (const name of given) {
        assert.ok(certificate.checkHost(name) ?? certificate.checkIP(name), name);
      }
      assert.equal(certificate.checkHost('other.invalid'), undefined);
      assert.ok(certificate.verify(certificate.publicKey));
    }),
    { numRuns: 200 },
  );
});

test('serial numbers are positive and differ', () => {
  const serials = Array.from({ length: 200 }, () => certificateFor(['localhost']).serialNumber);
  assert.equal(new Set(serials).size, 200);
  for (const serial of serials) assert.match(serial, /^[4-7][0-9A-F]{31}$/);
});

test('the validity is kept to the second, before and after the year 2050', () => {
  for (const time of [
    '2001-02-03T04:05:06Z',
    '2049-12-31T23:59:59Z',
    '2050-01-01T00:00:00Z',
    '2101-01-01T00:00:00Z',
  ]) {
    const { validFromDate, validToDate, raw } = certificateFor(['localhost'], {
      from: Date.parse(time),
      to: Date.parse(time) + 1000,
    });
    assert.deepEqual([validFromDate, validToDate], [new Date(time), new Date(Date.parse(time) + 1000)]);
    const digits = `${time.replace(/\D/g, '')}Z`;
    assert.equal(raw.includes(digits), time >= '2050', 'only years from 2050 on have four digits');
  }
});

test('a key that is not on an elliptic curve is rejected', () => {
  const { privateKey: other } = generateKeyPairSync('ed25519');
  assert.throws(
    () =>
      createSelfSigned({ privateKey: other, commonName: 'A test', names: ['localhost'], from: FROM, to: TO }),
    /not on an elliptic curve/,
  );
});
