import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { people } from '../../support/doubles/console-issuer.ts'
import type { HttpBrowser } from '../../support/http/http-browser.ts'
import { type ConsoleWorld, formTokenIn, startConsoleWorld } from '../../support/worlds/console-world.ts'

let world: ConsoleWorld
let connection: string
let link: string

beforeAll(async () => {
  world = await startConsoleWorld()
  await world.linkHonestly()
  const { body } = await world.api('GET', '/connections')
  connection = body.data[0].id
  link = (await world.api('GET', '/links')).body.data[0].id
})

afterAll(() => world.close())

describe('case 37, script in untrusted text', () => {
  const nasty = {
    image: '<img src=x onerror=alert(1)>',
    vector: '"><svg onload=alert(1)>',
    // Its product is longer than any number that ids and ports have in them by chance.
    template: '{{77777*99999}}<%= 77777*99999 %>#{77777*99999}',
    address: 'javascript:alert(1)',
    hidden: 'a\u202Etxt.exe\u200B\u0007',
    long: 'x'.repeat(10_000),
  }
  const pages = () => [
    `/connections/${connection}`,
    '/connections',
    '/links',
    `/links/${link}`,
    '/audit',
    '/search?q=a',
    '/webhooks',
    '/',
  ]

  test.each(Object.entries(nasty))(
    '%s is shown as truncated text with hidden characters made visible',
    async (_, text) => {
      await world.sql.query('update tenants set display_name = $1', [text])
      await world.sql.query('update connections set account_label = $1, account_id = $1, end_user_id = $1', [text])
      await world.sql.query(
        "update links set end_user = jsonb_build_object('id', $1::text, 'email', $1::text), account_label = $1",
        [text],
      )
      await world.sql.query(
        `insert into audit (action, subject_kind, subject_id, facts, actor_kind, actor_id, reason, connection)
       values ('connection.verified', 'connection', $1, jsonb_build_object('tools', array[$1::text]), 'support', $1, $1, $2)`,
        [text, connection],
      )
      const browser = await world.signIn(people.viewer)

      const shown = await Promise.all(
        [...pages(), `/search?q=${encodeURIComponent(text.slice(0, 200))}`].map((path) => world.open(browser, path)),
      )

      for (const { status, text: html, headers } of shown) {
        expect(status).toBe(200)
        expect(html).not.toMatch(/<img src=x|<svg onload|x{300}/)
        expect([...'\u202E\u200B\u0007'].filter((sign) => html.includes(sign))).toEqual([])
        expect(html).not.toMatch(/href="javascript:/)
        expect(html).not.toContain(String(77_777 * 99_999))
        expect(headers.get('content-security-policy')).toContain("script-src 'self'")
      }
      expect(shown[0]?.text).toContain('…'.repeat(text.length > 200 ? 1 : 0))
    },
  )

  test('notices only contain our own texts, whatever the URL says', async () => {
    const browser = await world.signIn(people.viewer)

    const { text } = await world.open(
      browser,
      `/connections/${connection}?done=${encodeURIComponent('<b>You won</b>')}`,
    )

    expect(text).not.toContain('You won')
  })
})

describe('case 36, the form to replay a message', () => {
  test('only posts to the delivery that was found', async () => {
    await world.sql.query(`
      insert into webhooks (id, tenant, url, events, secret) values ('whk_1', 'acme', 'https://acme.example', '{}', 'x')`)
    await world.sql.query(`
      insert into webhook_deliveries (id, webhook, event, tenant, status, due_at)
      select 'dlv_1', 'whk_1', id, 'acme', 'dead', null from outbox limit 1`)
    const agent = await world.signIn()

    const { status, text } = await world.open(agent, '/webhooks/acme/dlv_1')

    expect(status).toBe(200)
    expect(text).toContain('action="/support/webhooks/acme/dlv_1/replay"')
    expect(text).toMatch(/Account connected, to acme <span class="badge" data-status="failed">Failed/)
  })

  test.each<[string, number, () => string]>([
    ['a path to another form as the tenant', 400, () => `/webhooks/..%2Fconnections%2F${connection}%2Frollback%3F/x`],
    [
      'a path to another form as the message ID',
      400,
      () => `/webhooks/acme/..%2F..%2Fconnections%2F${connection}%2Frollback%3F`,
    ],
    ['an unknown message', 404, () => '/webhooks/acme/dlv_none'],
    ['an unknown tenant', 404, () => '/webhooks/nobody/dlv_1'],
  ])('is not shown for %s', async (_, expected, path) => {
    const { status, text } = await world.open(await world.signIn(), path())

    expect(status).toBe(expected)
    expect(text).not.toContain('class="action-form"')
  })
})

describe('case 41, permissions of each role', () => {
  const reason = 'ticket 17'
  const actions = () => [
    `/connections/${connection}/relink`,
    `/connections/${connection}/addresses/ses_1/cancel`,
    `/links/${link}/resume`,
    '/webhooks/acme/evt_1/replay',
    ...['check', 'verify', 'rollback', 'disconnect'].map((action) => `/connections/${connection}/${action}`),
    '/campaigns',
  ]
  let viewer: HttpBrowser
  let agent: HttpBrowser

  beforeEach(async () => {
    viewer = await world.signIn(people.viewer)
    agent = await world.signIn(people.agent)
  })

  test('a viewer sees all pages, and each of their actions is rejected and audited', async () => {
    const page = await world.open(viewer, `/connections/${connection}`)
    const mark = await world.mark()

    const statuses = []
    for (const action of actions()) statuses.push((await world.send(viewer, action, { reason })).status)

    expect(page.text).not.toContain('action="/support/connections')
    expect(statuses).toEqual(actions().map(() => 403))
    await world.check(mark, {
      audit: { action: 'console.denied', times: actions().length },
    })
  })

  test('an action without a reason or with unknown fields is rejected', async () => {
    const path = `/connections/${connection}/relink`
    const attempts = [
      {},
      { reason: ' ' },
      { reason, tenantId: 'other' },
      { reason, workspace: 'mine' },
      { reason, days: '365' },
    ]

    const statuses = []
    for (const fields of attempts)
      statuses.push((await world.send(agent, path, fields as Record<string, string>)).status)

    expect(statuses).toEqual(attempts.map(() => 422))
    expect(await world.audit('relink.minted')).toEqual([])
  })

  test('a stale sign-in must be renewed before a change', async () => {
    world.issuer.provedSecondsAgo = 16 * 60
    const stale = await world.signIn(people.agent)
    world.issuer.provedSecondsAgo = 0
    const page = await world.open(stale, `/connections/${connection}`)
    const refused = await world.send(stale, `/connections/${connection}/relink`, { reason })
    await stale.follow(await world.open(stale, '/sign-in/start?again'))
    const minted = await world.send(stale, `/connections/${connection}/relink`, { reason })

    expect(page.text).toContain('An action leads to the sign-in and back')
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('more than 15 minutes')])
    expect(minted.status).toBe(200)
  })

  test('only an admin can allow another account', async () => {
    const admin = await world.signIn(people.admin)
    const fields = { reason, allowOtherAccount: 'yes', days: '7' }

    const mark = await world.mark()
    const byAgent = await world.send(agent, `/connections/${connection}/relink`, fields)
    await world.check(mark, { audit: { action: 'console.denied', facts: { neededRole: 'admin' } } })
    const byAdmin = await world.send(admin, `/connections/${connection}/relink`, fields)

    expect([byAgent.status, byAdmin.status]).toEqual([403, 200])
    expect(byAdmin.text).toContain('After one day')
    const { rows } = await world.sql.query(
      'select max(expires_at - created_at) as lasts from connect_sessions where allow_other_account',
    )
    expect(rows).toMatchObject([{ lasts: { days: 1 } }])
  })

  test('a new link is shown once, and its audit entry does not contain the URL', async () => {
    const { text } = await world.send(agent, `/connections/${connection}/relink`, { reason: 'ticket 18', days: '7' })
    const address = /id="address">([^<]+)</.exec(text)?.[1] ?? ''
    const { rows } = await world.sql.query(
      "select * from audit where action = 'relink.minted' order by id desc limit 1",
    )
    const page = await world.open(agent, `/connections/${connection}`)

    expect((await fetch(address)).status).toBe(200)
    expect(rows[0]).toMatchObject({
      actor_kind: 'support',
      actor_id: people.agent.sub,
      actor_name: people.agent.email,
      reason: 'ticket 18',
      connection,
      facts: { ttlSeconds: 7 * 86_400, allowOtherAccount: false },
    })
    expect(JSON.stringify(rows[0]) + page.text).not.toContain(address.split('/').at(-1))
  })

  test('a link can only be cancelled through its own connection', async () => {
    const minted = await world.send(agent, `/connections/${connection}/relink`, { reason })
    const address = /id="address">([^<]+)</.exec(minted.text)?.[1] ?? ''
    const page = await world.open(agent, `/connections/${connection}`)
    const session = /addresses\/(ses_\w+)\/cancel/.exec(page.text)?.[1]

    const elsewhere = await world.send(agent, `/connections/con_0/addresses/${session}/cancel`, { reason })
    const before = await fetch(address)
    const cancelled = await world.send(agent, `/connections/${connection}/addresses/${session}/cancel`, { reason })
    const after = await fetch(address)

    expect([elsewhere.status, before.status, cancelled.status, after.status]).toEqual([404, 200, 303, 410])
  })

  test('only admins can start a campaign and download its links', async () => {
    const admin = await world.signIn(people.admin)
    await world.sql.query("update connections set status = 'needs_relink', cause = 'client_rejected'")
    const fields = { cause: 'client_rejected', tenant: '', integration: '', days: '3', reason: 'secret rotated' }

    const byAgent = await world.send(agent, '/campaigns', fields)
    const started = await world.send(admin, '/campaigns', fields)
    const path = /\/campaigns\/cmp_\w+/.exec(started.headers.get('location') ?? '')?.[0] ?? ''
    const file = await world.open(admin, `${path}/links.csv`)
    const elsewhere = await world.open(await world.signIn(people.admin), `${path}/links.csv`)
    const [, row = ''] = file.text.split('\r\n')
    const address = row.split(',').find((cell) => cell.includes('/connect/')) ?? ''
    const list = await world.open(agent, '/campaigns')
    const campaign = await world.open(agent, /\/campaigns\/cmp_\w+/.exec(list.text)?.[0] ?? '')
    await world.sql.query("update connections set status = 'active', cause = null")

    expect([byAgent.status, started.status, elsewhere.status]).toEqual([403, 303, 404])
    expect(file.headers.get('content-disposition')).toMatch(/attachment; filename="?cmp_\w+\.csv/)
    expect((await fetch(address)).status).toBe(200)
    expect(campaign.text).toMatch(/0 of \d+ reconnected/)
    expect(list.text + campaign.text).not.toContain(address.split('/').at(-1))
  })

  test('disconnecting requires the name', async () => {
    const refused = await world.send(agent, `/connections/${connection}/disconnect`, { reason, confirm: 'yes' })

    expect(refused.status).toBe(422)
    expect((await world.api('GET', `/connections/${connection}`)).body.status).toBe('active')
  })

  test.each(['/connections/con_none', '/links/lnk_none', '/connections/con_none/function', '/nothing'])(
    '%s returns 404',
    async (path) => {
      expect((await world.open(agent, path)).status).toBe(404)
    },
  )

  test('no page, list, search or export shows a secret', async () => {
    const mark = await world.mark()
    const paths = [
      '/',
      '/connections',
      `/connections/${connection}`,
      `/connections/${connection}/function`,
      '/links',
      `/links/${link}`,
      '/audit',
      '/audit.csv',
      '/webhooks',
      '/search?q=acme',
      '/account',
    ]

    const visited = []
    for (const path of paths) visited.push(await world.open(viewer, path))

    expect(visited.map(({ status }) => status)).toEqual(paths.map(() => 200))
    expect(visited.map(({ text }) => text).join()).not.toMatch(/CANARY|v1\.test\./)
    expect(formTokenIn(visited[0]?.text ?? '')).not.toBe('')
    await world.check(mark, { audit: { action: 'audit.exported', facts: { format: 'csv' } } })
  })
})
