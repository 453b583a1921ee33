import { beforeEach, describe, expect, test } from 'vitest'
import {
  disconnectOwnConnection,
  endManagePage,
  managedConnection,
  openManagePage,
  relinkOwnConnection,
  showManagedConnection,
  showManagePage,
} from '../../../../src/onboarding/connections/flows/manage-connections.ts'
import {
  mintManageSession,
  readManageSession,
  revokeManageSession,
} from '../../../../src/onboarding/connections/flows/mint-manage-session.ts'
import type { Connection } from '../../../../src/onboarding/domain/connection.ts'
import { returnBrowser } from '../../../../src/onboarding/linking/flows/return-browser.ts'
import { auditEntry } from '../../../support/memory/audit-entries.ts'
import { returnUrl } from '../../../support/memory/builders.ts'
import { isAway } from '../../../support/memory/doubles.ts'
import {
  byBrowser,
  byKey,
  type MemoryWorld,
  ofTenant,
  openMemoryWorld,
  operator,
} from '../../../support/memory/world.ts'

let world: MemoryWorld
let own: Connection
beforeEach(async () => {
  world = await openMemoryWorld()
  own = await world.addConnection()
})

const mint = (more: object = {}) =>
  mintManageSession(world, world.settings, {
    caller: operator,
    actor: byKey,
    tenant: 'acme',
    endUser: { id: 'user-1' },
    returnUrl: undefined,
    ttlSeconds: undefined,
    ...more,
  })
const open = (url: string, browsers: string[] = []) =>
  openManagePage(world, { token: url.slice(url.lastIndexOf('/') + 1), browsers, actor: byBrowser })
const opened = async (more: object = {}) => {
  const { url, session } = await mint(more)
  const { browser } = await open(url)
  return { id: session.id, browsers: [world.tokens.digest(browser!)] }
}

describe('a manage session', () => {
  test('is bound to the browser that opens it first', async () => {
    const { url } = await mint()

    const first = await open(url)

    expect(first.browser).toBeDefined()
    await expect(open(url)).rejects.toMatchObject({ code: 'connect_ended' })
    const again = await open(url, [world.tokens.digest(first.browser!)])
    expect(again).toMatchObject({ session: { id: first.session.id }, browser: undefined })
    expect(world.actions().filter((action) => action === 'manage_session.opened')).toHaveLength(1)
  })

  test('stores neither its token nor the browser’s secret', async () => {
    const { url } = await mint()
    const { browser } = await open(url)

    const stored = JSON.stringify([[...world.tables.manageSessions.values()], world.tables.audit])
    expect(stored).not.toContain(url.slice(url.lastIndexOf('/') + 1))
    expect(stored).not.toContain(browser)
  })

  test('returns only to registered URLs', async () => {
    await expect(mint({ returnUrl: 'https://evil.example/' })).rejects.toMatchObject({ code: 'input_invalid' })
    expect((await mint({ returnUrl })).session.returnUrl).toBe(returnUrl)
  })

  test('cannot be used by another tenant', async () => {
    await world.addTenant('other')
    const { session } = await mint()

    await expect(mint({ caller: ofTenant('other') })).rejects.toMatchObject({ code: 'not_found' })
    const by = { caller: ofTenant('other'), id: session.id }
    await expect(readManageSession(world, by)).rejects.toMatchObject({ code: 'not_found' })
    await expect(revokeManageSession(world, { ...by, actor: byKey })).rejects.toMatchObject({ code: 'not_found' })
  })

  test('ends in the open browser when it is revoked', async () => {
    const page = await opened()
    await revokeManageSession(world, { caller: operator, actor: byKey, id: page.id })

    await expect(showManagePage(world, { ...page, actor: byBrowser })).rejects.toMatchObject({ code: 'connect_ended' })
  })

  test('ends when it expires or its tenant is deleted', async () => {
    const [page, other] = [await opened(), await opened({ ttlSeconds: 3_600 })]
    world.clock.pass(1_801)
    await expect(showManagePage(world, { ...page, actor: byBrowser })).rejects.toMatchObject({ code: 'connect_ended' })
    expect((await showManagePage(world, { ...other, actor: byBrowser })).connections).toHaveLength(1)
    world.tables.tenants.set('acme', { ...world.tables.tenants.get('acme')!, status: 'deleting' })

    await expect(showManagePage(world, { ...other, actor: byBrowser })).rejects.toMatchObject({ code: 'connect_ended' })
  })

  test('reports a missing cookie', async () => {
    const { id } = await opened()

    await expect(showManagePage(world, { id, browsers: [], actor: byBrowser })).rejects.toMatchObject({
      more: { variant: 'cookie_missing' },
    })
    await expect(showManagePage(world, { id, browsers: ['another'], actor: byBrowser })).rejects.toMatchObject({
      code: 'connect_ended',
    })
  })
})

describe('the page', () => {
  test('shows only the active connections of its user and tenant', async () => {
    await world.addConnection({ endUser: { id: 'user-2' } })
    await world.addTenant('other')
    await world.addConnection({ tenant: 'other' })

    const { connections } = await showManagePage(world, { ...(await opened()), actor: byBrowser })

    expect(connections.map(({ connection }) => connection.id)).toEqual([own.id])
  })

  test('shows recent calls, and omits them if the platform is unavailable', async () => {
    const on = { ...(await opened()), connectionId: own.id }

    const { calls } = await showManagedConnection(world, world.settings, on)
    world.functionAccess.listCalls = isAway('platform_unavailable')

    expect(calls).toEqual([expect.objectContaining({ tool: 'list_files', caller: 'Acme' })])
    expect((await showManagedConnection(world, world.settings, on)).calls).toBeUndefined()
  })

  test('rejects connections of other users on every route', async () => {
    const foreign = await world.addConnection({ endUser: { id: 'user-2' } })
    const on = { ...(await opened()), connectionId: foreign.id }
    const acting = { ...on, actor: byBrowser }

    const refused = await Promise.all(
      [
        managedConnection(world, on),
        showManagedConnection(world, world.settings, on),
        relinkOwnConnection(world, world.settings, acting),
        disconnectOwnConnection(world, world.settings, acting),
      ].map((asked) => asked.catch(({ code }) => code)),
    )

    expect(refused).toEqual(['not_found', 'not_found', 'not_found', 'not_found'])
    expect(await world.found(foreign.id)).toMatchObject({ status: 'active' })
  })
})

describe('the user', () => {
  test('reconnects and returns to the page of the connection', async () => {
    const page = await opened()

    const url = await relinkOwnConnection(world, world.settings, { ...page, connectionId: own.id, actor: byBrowser })

    const session = await world.sessions.byToken(world.tokens.digest(url.slice(url.lastIndexOf('/') + 1)))
    expect(session).toMatchObject({ connectionId: own.id, completionChallenge: undefined })
    const link = await world.openLink(session!)
    const back = await returnBrowser(world, world.settings, { ...link, state: 'linked' }, byBrowser)
    expect(back).toBe(`https://connect.example/manage/${page.id}/connections/${own.id}?result=linked`)
  })

  test('cannot reconnect an unknown account if completion is required', async () => {
    const nameless = await world.addConnection({}, { account: undefined })
    const on = { ...(await opened()), connectionId: nameless.id }
    const tried = async (completion: 'required' | 'optional') => {
      const settings = { ...world.settings, completion }
      const { mayRelink } = await showManagedConnection(world, settings, on)
      const asked = relinkOwnConnection(world, settings, { ...on, actor: byBrowser })
      return [mayRelink, await asked.then(() => 'minted').catch(({ code }) => code)]
    }

    expect(await tried('required')).toEqual([false, 'input_invalid'])
    expect(await tried('optional')).toEqual([true, 'minted'])
  })

  test('reconnects under a rate limit separate from the tenant’s', async () => {
    const acting = { ...(await opened()), connectionId: own.id, actor: byBrowser }
    const settings = { ...world.settings, rates: { ...world.settings.rates } }
    settings.rates.check = { ...settings.rates.check, max: 1 }
    settings.rates.mint = { ...settings.rates.mint, max: 0 }
    const relink = () => relinkOwnConnection(world, settings, acting)

    await expect(relink()).resolves.toContain('https://connect.example/connect/')
    await expect(relink()).rejects.toMatchObject({ code: 'rate_limited' })
  })

  test('disconnects, audited as the end user', async () => {
    const page = await opened()

    const { done } = await disconnectOwnConnection(world, world.settings, {
      ...page,
      connectionId: own.id,
      actor: byBrowser,
    })
    await done

    expect(await world.found(own.id)).toMatchObject({ status: 'disconnected' })
    const entry = world.tables.audit.find(({ entry: { action } }) => action === 'disconnect.started')?.entry
    expect(entry).toMatchObject({ actor: byBrowser, facts: { following: 'manage_page' } })
    expect((await showManagePage(world, { ...page, actor: byBrowser })).connections).toEqual([])
  })
})

describe('a user who disconnects while', () => {
  const underWay = async (kind: 'disconnect' | 'rollback') => {
    const step = kind === 'disconnect' ? 'revoking' : 'testing'
    const task = {
      id: 'tsk_1',
      connectionId: own.id,
      kind,
      step,
      reason: undefined,
      actor: byBrowser,
      notes: {},
    } as const
    await world.tasks.open(task, auditEntry(`${kind}.started`))
    return { ...(await opened()), connectionId: own.id, actor: byBrowser }
  }

  test('another disconnect is open gets that task', async () => {
    const acting = await underWay('disconnect')

    const { task, done } = await disconnectOwnConnection(world, world.settings, acting)

    expect([task.id, (await done).id]).toEqual(['tsk_1', 'tsk_1'])
  })

  test('another task is open gets an error', async () => {
    const acting = await underWay('rollback')

    await expect(disconnectOwnConnection(world, world.settings, acting)).rejects.toMatchObject({
      code: 'connection_busy',
    })
  })
})

describe('the audit log has', () => {
  const rejected = () =>
    world.tables.audit.flatMap(({ entry }) =>
      entry.action === 'manage.rejected' ? [[entry.facts.refusal, entry.subject?.id]] : [],
    )

  test('rejected opens: used, expired, revoked and unknown URLs', async () => {
    const [used, stale, withdrawn] = [await mint(), await mint(), await mint()]
    await open(used.url)
    await revokeManageSession(world, { caller: operator, actor: byKey, id: withdrawn.session.id })
    const refused = (url: string) => expect(open(url, ['other'])).rejects.toMatchObject({ code: 'connect_ended' })

    await refused(used.url)
    await refused(withdrawn.url)
    await refused(`https://connect.example/manage/${'x'.repeat(43)}`)
    world.clock.pass(6 * 60)
    await refused(stale.url)

    expect(rejected()).toEqual([
      ['token_used', used.session.id],
      ['token_withdrawn', withdrawn.session.id],
      ['token_unknown', undefined],
      ['token_expired', stale.session.id],
    ])
  })

  test('another browser on an open page, but no unknown pages', async () => {
    const { id } = await opened()
    const show = (of: string) => showManagePage(world, { id: of, browsers: ['other'], actor: byBrowser })

    await expect(show(id)).rejects.toMatchObject({ code: 'connect_ended' })
    await expect(show('mng_none')).rejects.toMatchObject({ code: 'connect_ended' })

    expect(rejected()).toEqual([['token_used', id]])
  })
})

describe('ending the manage page', () => {
  test('ends it for the user’s own browser', async () => {
    const on = await opened()

    const { session } = await endManagePage(world, { ...on, actor: byBrowser })

    expect(session.id).toBe(on.id)
    await expect(showManagePage(world, { ...on, actor: byBrowser })).rejects.toMatchObject({ code: 'connect_ended' })
    expect((await readManageSession(world, { caller: operator, id: on.id })).revokedAt).toBeInstanceOf(Date)
    expect(world.actions()).toContain('manage_session.ended')
  })

  test('is rejected from another browser', async () => {
    const { id, browsers } = await opened()

    await expect(endManagePage(world, { id, browsers: ['other'], actor: byBrowser })).rejects.toMatchObject({
      code: 'connect_ended',
    })

    expect((await showManagePage(world, { id, browsers, actor: byBrowser })).session.id).toBe(id)
  })
})
