import { beforeEach, describe, expect, test } from 'vitest'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import type { NewClient } from '../../../src/onboarding/domain/mcp/registered-client.ts'
import { auditEntry } from '../../support/memory/audit-entries.ts'
import type { Contract } from './contract.ts'
import type { Ledger } from './ledger.ts'

const at = { integration: 'notes', issuer: 'https://login.notes.example' }

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
      expiresAt: undefined,
      ...more,
    })
    const save = (client: NewClient, replaces?: string, place = at) =>
      ledger.registeredClients.save(place, client, replaces, auditEntry('oauth_client.registered'))
    const forget = (clientId: string) =>
      ledger.registeredClients.markForgotten(at, clientId, auditEntry('oauth_client.forgotten'))
    const found = async () => (await ledger.registeredClients.find(at))?.client.id
    const noted = async () => (await ledger.noted()).map(({ action }) => action)

    test('a client is found with its secret, at its authorization server and integration alone', async () => {
      const expiresAt = new Date('2027-01-01T00:00:00Z')
      await save(clientOf('c1', { expiresAt }))

      const client = await ledger.registeredClients.find(at)

      expect(client).toMatchObject({
        ...at,
        by: 'registration',
        clientAuthentication: 'client_secret_basic',
        expiresAt,
      })
      expect([client?.client.id, client?.client.secret?.reveal()]).toEqual(['c1', 'registered secret'])
      expect(client?.client.redirectUri).toBe('https://connect.example/oauth/callback/notes')
      expect(await ledger.registeredClients.find({ ...at, issuer: 'https://other.example' })).toBeUndefined()
      expect(await ledger.registeredClients.find({ ...at, integration: 'other' })).toBeUndefined()
    })

    test('a client without a secret has none', async () => {
      await save(
        clientOf('https://connect.example/oauth/clients/notes', {
          client: { id: 'https://connect.example/oauth/clients/notes', secret: undefined },
          by: 'metadata_document',
          clientAuthentication: 'none',
        }),
      )

      expect((await ledger.registeredClients.find(at))?.client.secret).toBeUndefined()
    })

    test('one takes the place of the client it names, and of no other', async () => {
      const first = await save(clientOf('c1'))
      const late = await save(clientOf('c2'))
      const wrong = await save(clientOf('c3'), 'c0')
      const next = await save(clientOf('c4'), 'c1')

      expect([first, late, wrong, next].map(({ client }) => client.id)).toEqual(['c1', 'c1', 'c1', 'c4'])
      expect(await found()).toBe('c4')
      expect(await noted()).toEqual(['oauth_client.registered', 'oauth_client.registered'])
    })

    racing('concurrent registrations all use one client', async () => {
      const saved = await Promise.all(Array.from({ length: 8 }, (_, nth) => save(clientOf(`c${nth}`))))

      expect(new Set(saved.map(({ client }) => client.id)).size).toBe(1)
      expect(await noted()).toEqual(['oauth_client.registered'])
    })

    test('one that was forgotten is still found, and says so once in the record', async () => {
      await save(clientOf('c1'))

      const forgotten = [await forget('c1'), await forget('c1'), await forget('another')]

      expect(forgotten).toEqual([true, true, false])
      expect((await ledger.registeredClients.find(at))?.forgottenAt).toBeInstanceOf(Date)
      expect(await noted()).toEqual(['oauth_client.registered', 'oauth_client.forgotten'])
    })

    test('the one that follows it is not forgotten', async () => {
      await save(clientOf('c1'))
      await forget('c1')
      await save(clientOf('c2'), 'c1')

      expect((await ledger.registeredClients.find(at))?.forgottenAt).toBeUndefined()
    })

    test('a document of ours cannot be forgotten by anybody', async () => {
      await save(clientOf('c1', { by: 'metadata_document' }))

      expect(await forget('c1')).toBe(false)
      expect(await noted()).toEqual(['oauth_client.registered'])
    })

    test('a client that was confirmed is known since then, unless it is another one', async () => {
      const { confirmedAt } = await save(clientOf('c1'))
      await ledger.pass(600)
      await ledger.registeredClients.confirm(at, 'another')
      const unchanged = (await ledger.registeredClients.find(at))?.confirmedAt
      await ledger.registeredClients.confirm(at, 'c1')
      const confirmed = (await ledger.registeredClients.find(at))?.confirmedAt

      expect(confirmed!.getTime()).toBeGreaterThan(unchanged!.getTime())
      expect(Math.abs(unchanged!.getTime() - confirmedAt.getTime())).toBeLessThanOrEqual(600_000)
    })
  })
