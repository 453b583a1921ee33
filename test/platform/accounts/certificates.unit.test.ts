import type { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { connect, TLSSocket as Secured, type TLSSocket } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { newAuthority } from '../../../src/platform/gateway/adapters/account-proxy/certificates.ts'

const now = new Date()

async function presentedFor(hostname: string, trusted = true): Promise<X509Certificate> {
  const authority = await newAuthority(600, now)
  const secureContext = await authority.contextFor(hostname)
  const server = createServer((socket) => new Secured(socket, { isServer: true, secureContext }).on('error', () => {}))
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const ca = trusted ? authority.certificate : (await newAuthority(600, now)).certificate
  const client: TLSSocket = connect({ port, host: '127.0.0.1', servername: 'api.example.com', ca })
  onTestFinished(() => void client.destroy())
  await once(client, 'secureConnect')
  return client.getPeerX509Certificate() as X509Certificate
}

test('a certificate names its host only, and ends with the command', async () => {
  const certificate = await presentedFor('api.example.com')

  const { subject, subjectAltName, ca } = certificate
  expect({ subject, subjectAltName, ca }).toEqual({
    subject: undefined,
    subjectAltName: 'DNS:api.example.com',
    ca: false,
  })
  expect(new Date(certificate.validTo).getTime()).toBe(Math.floor(now.getTime() / 1000) * 1000 + 600_000)
  expect(certificate.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' })
})

test('a client rejects a certificate for another host, and one of another command', async () => {
  await expect(presentedFor('other.example.com')).rejects.toThrow('does not match')
  await expect(presentedFor('api.example.com', false)).rejects.toThrow('unable to verify')
})
