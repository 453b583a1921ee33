import { beforeEach, describe, expect, test } from 'vitest'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import type { NewClient } from '../../../src/onboarding/domain/mcp/registered-client.ts'
import { auditEntry } from '../../support/memory/audit-entries.ts'
import type { Contract } from './contract.ts'
import type { Ledger } from './ledger.ts'

const issuer = 'https://login.notes.example'

export const registeredClientPromises = ({ ledger: opened, racing }: Contract) =>
  describe('registered clients', () => {
    let ledger: Ledger
    beforeEach(() => {
      ledger = opened()
    })

    const clientOf = (id: string, more: Partial<NewClient> = {}): NewClient => ({
      client: { id, secret: new Secret('registered secret') },
      by: 'registration',
      clientAuthentication: 'client_secret_basic',
      redirectUri: 'https://connect.example/oauth/callback/notes',
      scope: 'notes:read',
      expiresAt: undefined,
      ...more,
    })
    const save = (client: NewClient, replaces?: string) =>
      ledger.registeredClients.save(issuer, client, replaces, auditEntry('oauth_client.registered'))
    const forget = (clientId: string) =>
      ledger.registeredClients.markForgotten({ issuer, clientId }, auditEntry('oauth_client.forgotten'))
    const newest = () => ledger.registeredClients.newest(issuer)
    const find = (clientId: string) => ledger.registeredClients.find({ issuer, clientId })
    const noted = async () => (await ledger.noted()).map(({ action }) => action)

    test('finds a client and its secret only by its authorization server', async () => {
      const expiresAt = new Date('2027-01-01T00:00:00Z')
      await save(clientOf('c1', { expiresAt }))

      const client = await newest()

      expect(client).toMatchObject({
        issuer,
        scope: 'notes:read',
        by: 'registration',
        clientAuthentication: 'client_secret_basic',
        expiresAt,
      })
      expect([client?.client.id, client?.client.secret?.reveal()]).toEqual(['c1', 'registered secret'])
      expect(client?.client.redirectUri).toBe('https://connect.example/oauth/callback/notes')
      expect(await find('c1')).toEqual(client)
      const other = { issuer: 'https://other.example', clientId: 'c1' }
      expect([await ledger.registeredClients.find(other), await find('c2')]).toEqual([undefined, undefined])
      expect(await ledger.registeredClients.newest(other.issuer)).toBeUndefined()
    })

    test('stores a client without a secret', async () => {
      await save(
        clientOf('https://connect.example/oauth/clients/notes', {
          client: { id: 'https://connect.example/oauth/clients/notes', secret: undefined },
          by: 'metadata_document',
          clientAuthentication: 'none',
        }),
      )

      expect((await newest())?.client.secret).toBeUndefined()
    })

    test('a client replaces only the one it names, and the earlier client is kept for its grants', async () => {
      const first = await save(clientOf('c1'))
      const late = await save(clientOf('c2'))
      const wrong = await save(clientOf('c3'), 'c0')
      const next = await save(clientOf('c4'), 'c1')

      expect([first, late, wrong, next].map(({ client }) => client.id)).toEqual(['c1', 'c1', 'c1', 'c4'])
      expect([(await newest())?.client.id, (await find('c1'))?.client.id]).toEqual(['c4', 'c1'])
      expect(await noted()).toEqual(['oauth_client.registered', 'oauth_client.registered'])
    })

    racing('concurrent registrations all use one client', async () => {
      const saved = await Promise.all(Array.from({ length: 8 }, (_, nth) => save(clientOf(`c${nth}`))))

      expect(new Set(saved.map(({ client }) => client.id)).size).toBe(1)
      expect(await noted()).toEqual(['oauth_client.registered'])
    })

    test('a forgotten client is still found, and audited once', async () => {
      await save(clientOf('c1'))

      const forgotten = [await forget('c1'), await forget('c1'), await forget('another')]

      expect(forgotten).toEqual([true, true, false])
      expect((await newest())?.forgottenAt).toBeInstanceOf(Date)
      expect(await noted()).toEqual(['oauth_client.registered', 'oauth_client.forgotten'])
    })

    test('forgetting a client does not affect its successor', async () => {
      await save(clientOf('c1'))
      await forget('c1')
      await save(clientOf('c2'), 'c1')

      expect([(await newest())?.forgottenAt, (await find('c1'))?.forgottenAt]).toEqual([undefined, expect.any(Date)])
    })

    test('a metadata document cannot be forgotten', async () => {
      await save(clientOf('c1', { by: 'metadata_document' }))

      expect(await forget('c1')).toBe(false)
      expect(await noted()).toEqual(['oauth_client.registered'])
    })

    test('records the first time that a client worked', async () => {
      await save(clientOf('c1'))
      await ledger.registeredClients.markWorking({ issuer, clientId: 'another' })
      const before = (await newest())?.workedAt
      await ledger.registeredClients.markWorking({ issuer, clientId: 'c1' })
      const first = (await newest())?.workedAt
      await ledger.pass(600)
      const aged = (await newest())?.workedAt
      await ledger.registeredClients.markWorking({ issuer, clientId: 'c1' })

      expect(before).toBeUndefined()
      expect(first).toBeInstanceOf(Date)
      expect((await newest())?.workedAt).toEqual(aged)
    })
  })
