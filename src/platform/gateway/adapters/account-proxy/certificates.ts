// Certificates in memory for one command. X.509 per RFC 5280, for hosts per RFC 9525: names only in subjectAltName.
import {
  createHash,
  generateKeyPair,
  type KeyObject,
  type KeyPairKeyObjectResult,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto'
import { isIP } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'
import { promisify } from 'node:util'
import { AsnConvert, OctetString } from '@peculiar/asn1-schema'
import * as asn1 from '@peculiar/asn1-x509'
import { ttlCache } from '../../../../kit/cache/ttl-cache.ts'

export type Authority = { certificate: string; contextFor(hostname: string): Promise<SecureContext> }

type Issued = { subject: string; publicKey: KeyObject; extensions: asn1.Extension[] }

const issuer = 'Accounts of one command'

/** The clock of a third party's library may be behind. */
const earlierMs = 5 * 60 * 1_000

const newKeys = (): Promise<KeyPairKeyObjectResult> => promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })

export async function newAuthority(lifeSeconds: number, now: Date): Promise<Authority> {
  const { publicKey, privateKey } = await newKeys()
  const validity = new asn1.Validity({
    notBefore: new Date(now.getTime() - earlierMs),
    notAfter: new Date(now.getTime() + lifeSeconds * 1_000),
  })
  const issue = (certificate: Issued) => signed(certificate, validity, privateKey)
  const own = issue({
    subject: issuer,
    publicKey,
    extensions: [
      extension(asn1.id_ce_basicConstraints, new asn1.BasicConstraints({ cA: true, pathLenConstraint: 0 }), true),
      extension(asn1.id_ce_keyUsage, new asn1.KeyUsage(asn1.KeyUsageFlags.keyCertSign), true),
      extension(asn1.id_ce_subjectKeyIdentifier, new asn1.SubjectKeyIdentifier(identifierOf(publicKey))),
    ],
  })
  const contexts = ttlCache(
    async (hostname: string) => {
      const keys = await newKeys()
      const extensions = [...forServer(hostname), authorityIdentifier(publicKey)]
      const certificate = issue({ subject: '', publicKey: keys.publicKey, extensions })
      const key = keys.privateKey.export({ type: 'pkcs8', format: 'pem' })
      return createSecureContext({ key, cert: certificate, minVersion: 'TLSv1.2' })
    },
    { ttlMs: lifeSeconds * 1_000, capacity: 100 },
  )
  return { certificate: own, contextFor: (hostname) => contexts.get(hostname) }
}

const forServer = (hostname: string) => [
  extension(asn1.id_ce_basicConstraints, new asn1.BasicConstraints({ cA: false }), true),
  extension(asn1.id_ce_keyUsage, new asn1.KeyUsage(asn1.KeyUsageFlags.digitalSignature), true),
  extension(asn1.id_ce_extKeyUsage, new asn1.ExtendedKeyUsage([asn1.id_kp_serverAuth])),
  // Critical, because the subject is empty (RFC 5280, section 4.2.1.6).
  extension(
    asn1.id_ce_subjectAltName,
    new asn1.SubjectAlternativeName([
      new asn1.GeneralName(isIP(hostname) ? { iPAddress: hostname } : { dNSName: hostname }),
    ]),
    true,
  ),
]

const authorityIdentifier = (publicKey: KeyObject) =>
  extension(
    asn1.id_ce_authorityKeyIdentifier,
    new asn1.AuthorityKeyIdentifier({ keyIdentifier: new asn1.KeyIdentifier(identifierOf(publicKey)) }),
  )

function signed({ subject, publicKey, extensions }: Issued, validity: asn1.Validity, key: KeyObject): string {
  const tbsCertificate = new asn1.TBSCertificate({
    version: asn1.Version.v3,
    serialNumber: bufferOf(Buffer.concat([Buffer.of(1), randomBytes(15)])),
    signature: ecdsaWithSha256(),
    issuer: nameOf(issuer),
    validity,
    subject: nameOf(subject),
    subjectPublicKeyInfo: AsnConvert.parse(infoOf(publicKey), asn1.SubjectPublicKeyInfo),
    extensions: new asn1.Extensions(extensions),
  })
  const signatureValue = bufferOf(sign('sha256', Buffer.from(AsnConvert.serialize(tbsCertificate)), key))
  const certificate = new asn1.Certificate({ tbsCertificate, signatureAlgorithm: ecdsaWithSha256(), signatureValue })
  return new X509Certificate(Buffer.from(AsnConvert.serialize(certificate))).toString()
}

const ecdsaWithSha256 = () => new asn1.AlgorithmIdentifier({ algorithm: '1.2.840.10045.4.3.2' })

const commonName = '2.5.4.3'

const nameOf = (text: string) =>
  new asn1.Name(
    text === ''
      ? []
      : [
          new asn1.RelativeDistinguishedName([
            new asn1.AttributeTypeAndValue({
              type: commonName,
              value: new asn1.AttributeValue({ utf8String: text }),
            }),
          ]),
        ],
  )

const extension = (extnID: string, value: unknown, critical = false) =>
  new asn1.Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) })

const infoOf = (publicKey: KeyObject) => publicKey.export({ type: 'spki', format: 'der' })

const identifierOf = (publicKey: KeyObject) => bufferOf(createHash('sha1').update(infoOf(publicKey)).digest())

/** A Buffer may be a part of a larger ArrayBuffer. */
const bufferOf = (bytes: Uint8Array): ArrayBuffer => Uint8Array.from(bytes).buffer
