import { beforeEach, describe, expect, test } from 'vitest'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import type { TenantDeletion } from '../../../src/onboarding/domain/offboarding/tenant-deletion.ts'
import { auditEntry } from '../../support/memory/audit-entries.ts'
import type { Contract } from './contract.ts'
import type { Ledger } from './ledger.ts'

export const deletionPromises = ({ ledger: opened, racing }: Contract) =>
  describe('tenant deletions', () => {
    let ledger: Ledger
    beforeEach(async () => {
      ledger = opened()
      await ledger.addTenant()
    })

    const actor = { kind: 'operator', id: 'ops' } as const
    const event = { id: 'evt_1', name: 'tenant.deleted', payload: {} } as const
    const open = async (tenant = 'acme') =>
      (await ledger.deletions.open(tenant, actor, auditEntry('tenant.deletion_started', { tenant }))) as TenantDeletion
    const finish = (deletion: TenantDeletion) => ledger.deletions.finish(deletion, auditEntry('tenant.deleted'))
    const actions = async () => (await ledger.noted()).map(({ action }) => action)
    const statusOf = async () => (await ledger.tenants.find('acme'))?.status
    const cancelSessions = () => ledger.deletions.cancelSessions('acme', auditEntry('session.cancelled'))

    test('opening a deletion marks the tenant and disables its keys', async () => {
      const { key } = await ledger.apiKeys.create({ name: 'acme', tenant: 'acme' }, actor)

      expect(await open()).toMatchObject({ tenant: 'acme', step: 'ending_links', actor, fence: 0 })
      expect(await statusOf()).toBe('deleting')
      expect(await ledger.apiKeys.caller(key)).toBeUndefined()
    })

    test('a repeated request returns the running deletion without a second audit entry', async () => {
      await open()
      await ledger.deletions.move(await open(), 'disconnecting')

      expect((await open()).step).toBe('disconnecting')
      expect((await actions()).filter((action) => action === 'tenant.deletion_started')).toHaveLength(1)
    })

    racing('one of many concurrent requests opens it', async () => {
      await Promise.all(Array.from({ length: 6 }, () => open()))

      expect((await actions()).filter((action) => action === 'tenant.deletion_started')).toHaveLength(1)
    })

    test('cannot delete an unknown tenant', async () => {
      expect(await open('nobody')).toBeUndefined()
      expect(await ledger.deletions.find('nobody')).toBeUndefined()
    })

    test('rejects changes to a tenant that is being deleted', async () => {
      await open()

      await expect(ledger.tenants.update('acme', { displayName: 'x' }, auditEntry('tenant.put'))).rejects.toMatchObject(
        {
          code: 'tenant_deleted',
        },
      )
      await expect(ledger.addTenant()).rejects.toMatchObject({ code: 'tenant_deleted' })
      const rotation = auditEntry('tenant.signing_secret_rotated')
      expect(await ledger.tenants.rotateSigningSecret('acme', new Secret('x'), 0, rotation)).toBeUndefined()
    })

    test('S2: backs off claims of a deletion whose worker was lost', async () => {
      await open()
      const claimedAfter = async (seconds: number) => {
        await ledger.pass(seconds)
        return (await ledger.deletions.claimDue(10)).length
      }

      expect([await claimedAfter(61), await claimedAfter(61), await claimedAfter(60)]).toEqual([1, 0, 1])
      expect([await claimedAfter(121), await claimedAfter(120)]).toEqual([0, 1])
    })

    test('a deletion is leased, and a claim after the lease fences the previous worker', async () => {
      const deletion = await open()
      await ledger.pass(40)
      const early = await ledger.deletions.claimDue(10)
      await ledger.pass(30)
      const [claimed] = await ledger.deletions.claimDue(10)

      expect(early).toEqual([])
      expect(claimed?.fence).toBe(deletion.fence + 1)
      expect(await ledger.deletions.move(deletion, 'disconnecting')).toBeUndefined()
      expect(await ledger.deletions.move(claimed!, 'disconnecting')).toBeDefined()
    })

    test('a step is written once', async () => {
      const deletion = await open()

      const moved = [
        await ledger.deletions.move(deletion, 'disconnecting'),
        await ledger.deletions.move(deletion, 'disconnecting'),
      ]

      expect(moved.map((each) => each?.step)).toEqual(['disconnecting', undefined])
    })

    test('measures ages by the ledger’s clock', async () => {
      const deletion = await open()
      await ledger.pass(30)
      await ledger.deletions.move(deletion, 'disconnecting')
      await ledger.pass(20)

      const { ageSeconds, stepAgeSeconds } = (await ledger.deletions.find('acme')) as TenantDeletion

      expect(ageSeconds).toBeGreaterThanOrEqual(50)
      expect(stepAgeSeconds).toBeGreaterThanOrEqual(20)
      expect(ageSeconds - stepAgeSeconds).toBeGreaterThanOrEqual(30)
    })

    test('is due at the postponed time, and a fenced worker cannot postpone it', async () => {
      const deletion = await open()
      await ledger.deletions.postpone(deletion, 5)
      await ledger.pass(6)
      const [claimed] = await ledger.deletions.claimDue(10)
      await ledger.deletions.postpone(deletion, 0)

      expect(claimed?.tenant).toBe('acme')
      expect(await ledger.deletions.claimDue(10)).toEqual([])
    })

    test('writes the last event with its step, only by the current holder', async () => {
      const deletion = await open()
      const moved = await ledger.deletions.announce(deletion, event)
      await ledger.deletions.announce(deletion, { ...event, id: 'evt_2' })

      expect(moved?.step).toBe('notifying')
      expect(await ledger.events()).toMatchObject([{ id: 'evt_1', tenant: 'acme' }])
    })

    test('cancels unstarted sessions, and audits only if there were any', async () => {
      const unused = await ledger.addSession()
      const started = await ledger.addSession()
      await ledger.openLink(started)

      expect([await cancelSessions(), await cancelSessions()]).toEqual([1, 0])
      expect((await ledger.sessions.find(unused.id))?.cancelledAt).toBeInstanceOf(Date)
      expect((await ledger.sessions.find(started.id))?.cancelledAt).toBeUndefined()
      expect((await actions()).filter((action) => action === 'session.cancelled')).toHaveLength(1)
    })

    test('counts open sessions, links and connections of this tenant only', async () => {
      await ledger.addTenant('other')
      await ledger.addConnection({ tenant: 'other' })
      await ledger.addConnection()
      await ledger.addLink()
      await ledger.addSession()
      await ledger.move(await ledger.addLink(), 'denied')

      expect(await ledger.deletions.countOpen('acme')).toBe(3)
      expect(await ledger.deletions.countConnections('acme')).toBe(1)
    })

    test('waiting events and undelivered messages count as unsent', async () => {
      const webhook = {
        id: 'whk_000000000001',
        tenant: 'acme',
        url: 'https://hooks.example/',
        events: ['link.failed' as const],
      }
      await ledger.webhooks.create(webhook, 'sealed', 10, auditEntry('webhook.created'))
      const unsent = [await ledger.deletions.hasUnsentMessages('acme')]
      const failed = { id: 'evt_3', name: 'link.failed', payload: {} } as const
      await ledger.move(await ledger.addLink(), 'failed', { event: failed })
      unsent.push(await ledger.deletions.hasUnsentMessages('acme'))
      await ledger.deliveries.announce(10)
      unsent.push(await ledger.deletions.hasUnsentMessages('acme'))
      const [claimed] = await ledger.deliveries.claimDue({ limit: 1, perTenant: 1, underWay: {} })
      await ledger.deliveries.delivered(claimed!, 200)

      expect([...unsent, await ledger.deletions.hasUnsentMessages('acme')]).toEqual([false, true, true, false])
    })

    test('a finished deletion removes endpoints, clients, secrets and logos, and reserves the ID', async () => {
      const client = { id: 'client-1', secret: new Secret('hush') }
      await ledger.tenants.putOwnClient('acme', 'files', client, auditEntry('tenant.oauth_client_put'))
      const webhook = {
        id: 'whk_000000000001',
        tenant: 'acme',
        url: 'https://hooks.example/',
        events: ['link.failed' as const],
      }
      await ledger.webhooks.create(webhook, 'sealed', 10, auditEntry('webhook.created'))

      const picture = { digest: 'aa', width: 40, height: 40, png: Buffer.from('png') }
      await ledger.tenants.putLogo('acme', 'light', picture, auditEntry('tenant.logo_put'))

      const done = await finish(await open())

      expect(done?.step).toBe('done')
      expect(await ledger.tenants.find('acme')).toMatchObject({ status: 'deleted', returnUrls: [], logos: {} })
      expect(await ledger.tenants.logoPng('aa')).toBeUndefined()
      expect(await ledger.tenants.ownClients('acme')).toEqual([])
      expect(await ledger.webhooks.list('acme')).toEqual([])
      await expect(ledger.tenants.signingSecret('acme')).rejects.toMatchObject({ code: 'not_found' })
      const again = { id: 'acme', workspace: 'acme', displayName: 'Acme', returnUrls: [] }
      expect(await ledger.tenants.create(again, new Secret('x'), auditEntry('tenant.put'))).toBeUndefined()
      expect((await actions()).at(-1)).toBe('tenant.deleted')
    })

    test('a deleted tenant is not listed, and its workspace can be reused', async () => {
      await finish(await open())

      await ledger.addTenant('successor', { workspace: 'acme' })

      expect((await ledger.tenants.list({ cursor: undefined, limit: 10 })).data.map(({ id }) => id)).toEqual([
        'successor',
      ])
    })

    test('a finished deletion is never due again', async () => {
      await finish(await open())
      await ledger.pass(100_000)

      expect(await ledger.deletions.claimDue(10)).toEqual([])
    })
  })
