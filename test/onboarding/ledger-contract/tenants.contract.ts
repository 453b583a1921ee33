import { beforeEach, describe, expect, test } from 'vitest'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { auditEntry } from '../../support/memory/audit-entries.ts'
import type { Contract } from './contract.ts'
import type { Ledger } from './ledger.ts'

export const tenantPromises = ({ ledger: opened, racing }: Contract) =>
  describe('tenants', () => {
    let ledger: Ledger
    beforeEach(() => {
      ledger = opened()
    })

    const put = (id: string, more: { workspace?: string; displayName?: string } = {}, secret = `secret of ${id}`) =>
      ledger.tenants.put(
        { id, workspace: id, displayName: id, returnUrls: [], ...more },
        new Secret(secret),
        auditEntry('tenant.put', { tenant: id }),
      )
    const rotate = (next: string, afterSeconds: number, id = 'acme') =>
      ledger.tenants.rotateSigningSecret(
        id,
        new Secret(next),
        afterSeconds,
        auditEntry('tenant.signing_secret_rotated', { tenant: id }),
      )
    const signing = async (id = 'acme') => (await ledger.tenants.signingSecret(id)).reveal()
    const putClient = (secret: string | undefined, integration = 'files') =>
      ledger.tenants.putOwnClient(
        'acme',
        integration,
        { id: 'client-1', secret: secret === undefined ? undefined : new Secret(secret) },
        auditEntry('tenant.oauth_client_put', { tenant: 'acme' }),
      )

    test('put creates a tenant once and then updates it', async () => {
      const first = await put('acme')
      const second = await put('acme', { displayName: 'Acme Ltd' })

      expect([first.created, second.created]).toEqual([true, false])
      expect(await ledger.tenants.find('acme')).toMatchObject({ displayName: 'Acme Ltd', workspace: 'acme' })
    })

    test('updating a tenant keeps its signing secret', async () => {
      await put('acme', {}, 'the first')
      await put('acme', { displayName: 'Acme Ltd' }, 'another')

      expect(await signing()).toBe('the first')
    })

    test('audits a tenant before and after a change', async () => {
      await put('acme')
      await put('acme', { displayName: 'Acme Ltd' })

      const [made, changed] = await ledger.noted()
      expect(made?.before).toBeUndefined()
      expect(changed).toMatchObject({ before: { displayName: 'acme' }, after: { displayName: 'Acme Ltd' } })
    })

    test('a workspace belongs to one tenant, and a rejected reuse is not audited', async () => {
      await put('acme', { workspace: 'shared' })

      await expect(put('other', { workspace: 'shared' })).rejects.toMatchObject({ code: 'workspace_taken' })

      expect(await ledger.tenants.find('other')).toBeUndefined()
      expect(await ledger.noted()).toHaveLength(1)
    })

    test('does not create a tenant with a used ID, and does not audit it', async () => {
      await put('acme')
      const again = { id: 'acme', workspace: 'another', displayName: 'Other', returnUrls: [] }

      expect(await ledger.tenants.create(again, new Secret('other'), auditEntry('tenant.put'))).toBeUndefined()
      expect(await ledger.tenants.find('acme')).toMatchObject({ workspace: 'acme' })
      expect(await ledger.noted()).toHaveLength(1)
    })

    test('an update changes only the given fields', async () => {
      await put('acme', { displayName: 'Acme' })

      const updated = await ledger.tenants.update('acme', { workspace: 'moved' }, auditEntry('tenant.put'))

      expect(updated).toMatchObject({ workspace: 'moved', displayName: 'Acme' })
      expect(await ledger.tenants.refresh('acme')).toEqual(updated)
      expect((await ledger.noted()).at(-1)).toMatchObject({
        before: { workspace: 'acme' },
        after: { workspace: 'moved' },
      })
    })

    test('does not update or audit an unknown tenant', async () => {
      expect(await ledger.tenants.update('nobody', { displayName: 'x' }, auditEntry('tenant.put'))).toBeUndefined()
      expect(await ledger.noted()).toEqual([])
    })

    test('an update cannot take another tenant’s workspace', async () => {
      await put('acme')
      await put('other')

      await expect(
        ledger.tenants.update('other', { workspace: 'acme' }, auditEntry('tenant.put')),
      ).rejects.toMatchObject({ code: 'workspace_taken' })
      expect(await ledger.tenants.find('other')).toMatchObject({ workspace: 'other' })
    })

    test('suspends and reactivates a tenant once each, audits both, and allows changes in between', async () => {
      await put('acme')
      const entry = (action: 'tenant.suspended' | 'tenant.reactivated') => auditEntry(action, { tenant: 'acme' })

      const suspended = await ledger.tenants.changeStatus('acme', 'suspended', entry('tenant.suspended'))
      expect(suspended).toMatchObject({ id: 'acme', status: 'suspended' })
      expect(await ledger.tenants.changeStatus('acme', 'suspended', entry('tenant.suspended'))).toBeUndefined()
      await put('acme', { displayName: 'Acme Ltd' })
      expect(await ledger.tenants.find('acme')).toMatchObject({ status: 'suspended', displayName: 'Acme Ltd' })
      await ledger.tenants.changeStatus('acme', 'active', entry('tenant.reactivated'))

      expect(await ledger.tenants.find('acme')).toMatchObject({ status: 'active' })
      expect((await ledger.noted()).map(({ action }) => action)).toEqual([
        'tenant.put',
        'tenant.suspended',
        'tenant.put',
        'tenant.reactivated',
      ])
    })

    test('does not suspend or audit an unknown tenant', async () => {
      const audit = auditEntry('tenant.suspended', { tenant: 'nobody' })

      expect(await ledger.tenants.changeStatus('nobody', 'suspended', audit)).toBeUndefined()
      expect(await ledger.noted()).toEqual([])
    })

    racing('one of many concurrent creations of a tenant succeeds', async () => {
      const made = await Promise.all(Array.from({ length: 8 }, () => put('acme')))

      expect(made.filter(({ created }) => created)).toHaveLength(1)
    })

    test('lists tenants by ID, paginated, and the last page has no cursor', async () => {
      for (const id of ['c', 'a', 'b']) await put(id)

      const first = await ledger.tenants.list({ cursor: undefined, limit: 2 })
      const last = await ledger.tenants.list({ cursor: first.nextCursor, limit: 2 })

      expect([first, last].map(({ data }) => data.map(({ id }) => id))).toEqual([['a', 'b'], ['c']])
      expect(last.nextCursor).toBeUndefined()
    })

    test('a full last page has no cursor', async () => {
      for (const id of ['a', 'b']) await put(id)

      expect((await ledger.tenants.list({ cursor: undefined, limit: 2 })).nextCursor).toBeUndefined()
    })

    test('a rotated signing secret signs only from its start time', async () => {
      await put('acme', {}, 'old')
      await rotate('new', 600)

      const before = await signing()
      await ledger.pass(601)

      expect([before, await signing()]).toEqual(['old', 'new'])
    })

    test('replaces a leaked signing secret immediately', async () => {
      await put('acme', {}, 'old')

      await rotate('new', 0)

      expect(await signing()).toBe('new')
    })

    test('a second rotation keeps the current secret and discards the scheduled one', async () => {
      await put('acme', {}, 'old')
      await rotate('never used', 600)
      await rotate('new', 1_200)

      await ledger.pass(601)
      const between = await signing()
      await ledger.pass(600)

      expect([between, await signing()]).toEqual(['old', 'new'])
    })

    test('deleting old signing secrets does not change the current one', async () => {
      await put('acme', {}, 'old')
      await rotate('new', 600)
      await ledger.tenants.forgetSigningSecrets()
      const before = await signing()

      await ledger.pass(601)
      await ledger.tenants.forgetSigningSecrets()

      expect([before, await signing()]).toEqual(['old', 'new'])
    })

    test('does not rotate, read or audit the secret of an unknown tenant', async () => {
      expect(await rotate('new', 0, 'nobody')).toBeUndefined()
      await expect(signing('nobody')).rejects.toMatchObject({ code: 'not_found' })
      expect(await ledger.noted()).toEqual([])
    })

    test('finds a tenant’s own client with its secret, and lists it without', async () => {
      await put('acme')
      await putClient('hush')

      const client = await ledger.tenants.ownClient('acme', 'files')
      const listed = await ledger.tenants.ownClients('acme')

      expect([client?.id, client?.secret?.reveal()]).toEqual(['client-1', 'hush'])
      expect(listed).toMatchObject([{ integration: 'files', clientId: 'client-1', hasSecret: true }])
      expect(JSON.stringify(listed)).not.toContain('hush')
    })

    test('lists a public client without a secret', async () => {
      await put('acme')
      await putClient(undefined)

      expect((await ledger.tenants.ownClient('acme', 'files'))?.secret).toBeUndefined()
      expect(await ledger.tenants.ownClients('acme')).toMatchObject([{ hasSecret: false }])
    })

    test('lists own clients by integration, per tenant', async () => {
      await put('acme')
      await put('other')
      await putClient('hush', 'mail')
      await putClient('hush', 'files')

      expect((await ledger.tenants.ownClients('acme')).map(({ integration }) => integration)).toEqual(['files', 'mail'])
      expect(await ledger.tenants.ownClients('other')).toEqual([])
      expect(await ledger.tenants.ownClient('other', 'files')).toBeUndefined()
    })

    test('audits fingerprints of a client’s old and new secret, never the secret', async () => {
      await put('acme')
      await putClient('first secret')
      await putClient('second secret')

      const changed = (await ledger.noted()).at(-1)
      expect(changed?.before?.secretFingerprint).toMatch(/^[0-9a-f]+$/)
      expect(changed?.after?.secretFingerprint).not.toBe(changed?.before?.secretFingerprint)
      expect(JSON.stringify(changed)).not.toContain('secret"')
    })

    test('deletes and audits a client once', async () => {
      await put('acme')
      await putClient('hush')
      const remove = () =>
        ledger.tenants.deleteOwnClient('acme', 'files', auditEntry('tenant.oauth_client_deleted', { tenant: 'acme' }))

      const deleted = [await remove(), await remove()]

      expect(deleted).toEqual([true, false])
      expect(await ledger.tenants.ownClient('acme', 'files')).toBeUndefined()
      expect((await ledger.noted()).filter(({ action }) => action === 'tenant.oauth_client_deleted')).toHaveLength(1)
    })

    const picture = (digest: string) => ({ digest, width: 400, height: 80, png: Buffer.from(`${digest} \0\xff`) })
    const putLogo = (scheme: 'light' | 'dark', digest: string, id = 'acme') =>
      ledger.tenants.putLogo(id, scheme, picture(digest), auditEntry('tenant.logo_put', { tenant: id }))
    const deleteLogo = (scheme: 'light' | 'dark', id = 'acme') =>
      ledger.tenants.deleteLogo(id, scheme, auditEntry('tenant.logo_deleted', { tenant: id }))

    test('finds a logo by its digest, byte for byte, and the tenant refers to it', async () => {
      await put('acme')
      const changed = await putLogo('light', 'aa')

      expect(changed?.logos).toEqual({ light: { digest: 'aa', width: 400, height: 80 } })
      expect(await ledger.tenants.find('acme')).toEqual(changed)
      expect(await ledger.tenants.logoPng('aa')).toEqual(picture('aa').png)
      expect(await ledger.tenants.logoPng('bb')).toBeUndefined()
    })

    test('replaces and audits one logo and keeps the other', async () => {
      await put('acme')
      await putLogo('dark', 'dd')
      await putLogo('light', 'aa')
      await putLogo('light', 'bb')

      expect((await ledger.tenants.find('acme'))?.logos).toMatchObject({
        light: { digest: 'bb' },
        dark: { digest: 'dd' },
      })
      expect(await ledger.tenants.logoPng('aa')).toBeUndefined()
      expect((await ledger.noted()).at(-1)).toMatchObject({
        before: { colorScheme: 'light', digest: 'aa' },
        after: { colorScheme: 'light', digest: 'bb', size: '400 × 80' },
      })
    })

    test('deletes a logo once, also if another tenant has the same', async () => {
      await put('acme')
      await put('other')
      await putLogo('light', 'aa')
      await putLogo('light', 'aa', 'other')

      const deleted = [await deleteLogo('light'), await deleteLogo('light')]

      expect(deleted.map((tenant) => tenant?.logos)).toEqual([{}, undefined])
      expect(await ledger.tenants.logoPng('aa')).toEqual(picture('aa').png)
      expect((await ledger.noted()).filter(({ action }) => action === 'tenant.logo_deleted')).toHaveLength(1)
    })

    test('updating a tenant keeps its logo, and an unknown tenant has none', async () => {
      await put('acme')
      await putLogo('light', 'aa')
      await put('acme', { displayName: 'Acme Ltd' })

      expect((await ledger.tenants.find('acme'))?.logos.light?.digest).toBe('aa')
      expect(await putLogo('light', 'aa', 'nobody')).toBeUndefined()
      expect(await deleteLogo('light', 'nobody')).toBeUndefined()
    })

    racing('concurrent updates of both logos keep both', async () => {
      await put('acme')

      await Promise.all([putLogo('light', 'aa'), putLogo('dark', 'dd')])

      expect((await ledger.tenants.find('acme'))?.logos).toMatchObject({
        light: { digest: 'aa' },
        dark: { digest: 'dd' },
      })
    })
  })
