import { beforeEach, describe, expect, test } from 'vitest'
import { worker } from '../../../src/onboarding/domain/audit/audit.ts'
import { aboutConnection } from '../../../src/onboarding/domain/audit/audit-entry.ts'
import type { Connection } from '../../../src/onboarding/domain/connection.ts'
import { AliasTaken, type NamesChange } from '../../../src/onboarding/domain/linking/connection-names.ts'
import { auditEntry } from '../../support/memory/audit-entries.ts'
import type { Contract } from './contract.ts'
import type { Ledger } from './ledger.ts'

export const connectionNamePromises = ({ ledger: opened, racing }: Contract) =>
  describe('alias and labels of connections', () => {
    let ledger: Ledger
    beforeEach(async () => {
      ledger = opened()
      await ledger.addTenant()
      await ledger.addTenant('other')
    })

    const owner = { tenant: 'acme', integration: 'files', endUserId: 'user-1' }
    const rename = ({ id }: Connection, change: NamesChange) =>
      ledger.connections.rename(id, change, {
        action: 'connection.renamed',
        actor: worker,
        ...aboutConnection({ id, tenant: 'acme' }),
        before: {},
        after: {},
      })
    const linkNamed = async (alias: string, more: object = {}) =>
      ledger.escrow(await ledger.openLink(await ledger.addSession(more), { alias }))
    const disconnect = async ({ id }: Connection) => {
      const about = { id: 'tsk_1', connectionId: id, kind: 'disconnect', step: 'removing_connection' } as const
      const actor = { kind: 'operator' } as const
      const task = await ledger.tasks.open({ ...about, reason: '', actor, notes: {} }, auditEntry('disconnect.started'))
      const event = { id: 'evt_1', name: 'connection.disconnected', payload: {} } as const
      await ledger.tasks.finishDisconnect(task!, event, auditEntry('connection.disconnected'))
    }
    const all = { ...owner, status: undefined, cause: undefined, cursor: undefined, limit: 100 }
    const idsWith = async (filter: object) =>
      (await ledger.connections.list({ ...all, ...filter })).data.map(({ id }) => id)

    test('a connection gets the names of its session', async () => {
      const labels = { team: 'sales', constructor: 'x' }
      const session = await ledger.addSession({ alias: 'work', labels, scopes: ['files.read'] })
      const link = await ledger.finish(await ledger.escrow(await ledger.openLink(session, { alias: 'work', labels })))

      expect(session).toMatchObject({ alias: 'work', labels, scopes: ['files.read'] })
      expect(await ledger.sessions.find(session.id)).toMatchObject({ alias: 'work', labels, scopes: ['files.read'] })
      expect(await ledger.links.find(link.id)).toMatchObject({ alias: 'work', labels })
      expect(await ledger.found(link.connectionId)).toMatchObject({ alias: 'work', labels })
    })

    test('a link with the alias of another connection is not moved, and can be without the alias', async () => {
      await ledger.finish(await linkNamed('work'))
      const second = await linkNamed('work')

      await expect(ledger.finish(second)).rejects.toThrow(AliasTaken)
      const { connectionId } = await ledger.finish(second, { dropAlias: true })

      expect((await ledger.found(connectionId)).alias).toBeUndefined()
      expect((await ledger.links.find(second.id))?.alias).toBeUndefined()
    })

    test.each([
      ['user', { endUser: { id: 'user-2' } }],
      ['tenant', { tenant: 'other' }],
      ['integration', { integration: 'mail' }],
    ])('another %s may use the same alias', async (_, more) => {
      await ledger.finish(await linkNamed('work'))

      const { connectionId } = await ledger.finish(await linkNamed('work', more))

      expect((await ledger.found(connectionId)).alias).toBe('work')
    })

    test('a disconnected connection keeps its alias, which is free', async () => {
      const first = await ledger.finish(await linkNamed('work'))
      await disconnect(await ledger.found(first.connectionId))
      const second = await ledger.finish(await linkNamed('work'))

      expect((await ledger.found(first.connectionId)).alias).toBe('work')
      expect((await ledger.connections.withAlias(owner, 'work'))?.id).toBe(second.connectionId)
    })

    test('a change keeps the other name, and null removes a name', async () => {
      const connection = await ledger.addConnection()

      await rename(connection, { alias: 'work', labels: { team: 'sales' } })
      const relabelled = await rename(connection, { labels: { team: 'support' } })
      const unnamed = await rename(connection, { alias: null })

      expect(relabelled).toMatchObject({ alias: 'work', labels: { team: 'support' } })
      expect(unnamed?.alias).toBeUndefined()
      expect((await rename(connection, { labels: null }))?.labels).toBeUndefined()
    })

    test('an alias of another connection is rejected, and its own is not', async () => {
      const [one, two] = [await ledger.addConnection(), await ledger.addConnection()]
      await rename(one, { alias: 'work' })

      await expect(rename(two, { alias: 'work' })).rejects.toThrow(AliasTaken)
      expect(await rename(one, { alias: 'work' })).toMatchObject({ alias: 'work' })
    })

    test('a disconnected connection is not renamed', async () => {
      const connection = await ledger.addConnection()
      await disconnect(connection)

      expect(await rename(connection, { alias: 'work' })).toBeUndefined()
    })

    test('a re-link keeps the names, and gives its own to a connection without names', async () => {
      const link = await ledger.finish(await linkNamed('work'))
      const { connection: kept } = await ledger.relink(await ledger.found(link.connectionId))
      const plain = await ledger.addConnection()
      const { id: connectionId, name: connectionName, functionName } = plain
      const recognized = await ledger.escrow(await ledger.openLink(await ledger.addSession(), { alias: 'private' }))
      const testing = await ledger.move(recognized, 'testing', {
        relinkOf: { connectionId, connectionName, functionName },
      })
      await ledger.finish(testing, {}, { previousSeconds: 600 })

      expect(kept.alias).toBe('work')
      expect((await ledger.found(plain.id)).alias).toBe('private')
    })

    test('lists by alias, and by all labels of a filter', async () => {
      const [one, two] = [await ledger.addConnection(), await ledger.addConnection()]
      await rename(one, { alias: 'work', labels: { team: 'sales', plan: 'pro' } })
      await rename(two, { labels: { team: 'sales' } })

      expect(await idsWith({ alias: 'work' })).toEqual([one.id])
      expect((await idsWith({ labels: { team: 'sales' } })).sort()).toEqual([one.id, two.id].sort())
      expect(await idsWith({ labels: { team: 'sales', plan: 'pro' } })).toEqual([one.id])
      expect(await idsWith({ labels: { toString: 'sales' } })).toEqual([])
    })

    racing('of parallel links with one alias, one gets it', async () => {
      const links = await Promise.all(Array.from({ length: 6 }, () => linkNamed('work')))

      const finished = await Promise.allSettled(links.map((link) => ledger.finish(link)))

      expect(finished.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      expect(await idsWith({ alias: 'work' })).toHaveLength(1)
    })
  })
