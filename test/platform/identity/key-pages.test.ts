// The pages for API keys.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../src/kit/embedded/free-port.ts'
import { type HttpServer, listen } from '../../../src/kit/http/http-server.ts'
import { hashPassword } from '../../../src/platform/identity/domain/password.ts'
import { HttpBrowser, type Visit } from '../../support/http/http-browser.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { type PlatformWorld, platformWorld } from '../../support/worlds/platform-world.ts'

const password = 'open sesame'

let world: PlatformWorld
let server: HttpServer
let admin: HttpBrowser
let member: HttpBrowser

beforeAll(async () => {
  const port = await freePort()
  world = await platformWorld({ env: { PORT: String(port), HOST: '127.0.0.1' } })
  server = await listen(world.app, { host: '127.0.0.1', port })
  await world.join('acme', 'user@acme.example', 'member')
  await world.addServiceAccount('sa-robot', 'member', 'robot-secret')
  const hash = await hashPassword(password)
  await Promise.all(['admin', 'user'].map((name) => world.adapters.users.setPassword(`${name}@acme.example`, hash)))
  ;[admin, member] = await Promise.all([signedIn('admin@acme.example'), signedIn('user@acme.example')])
})

afterAll(async () => {
  await server.close(0)
  await world.close()
})

const at = (path: string) => `${world.config.addresses.auth}${path}`

async function signedIn(email: string): Promise<HttpBrowser> {
  const browser = new HttpBrowser()
  const page = await browser.follow(await browser.get(at('/keys')))
  await browser.follow(await browser.post(`${page.url}/sign-in`, { email, password }))
  return browser
}

const formIn = ({ text }: Visit) => ({ id: /name="id" value="([^"]+)"/.exec(text)?.[1] ?? '' })
const keyIn = ({ text }: Visit) => /cwp_[\w-]{55}/.exec(text)?.[0] ?? ''
const revokeIn = ({ text }: Visit, name: string) =>
  new RegExp(`scope="row">${name}<.*?action="([^"]+/revoke)"`, 's').exec(text)?.[1] ?? ''
const rowOf = ({ text }: Visit, name: string) =>
  new RegExp(`scope="row">${name}<.*?</tr>`, 's')
    .exec(text)?.[0]
    .replace(/<details>.*<\/details>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ') ?? ''

async function create(browser: HttpBrowser, fields: Record<string, string>, path = '/keys'): Promise<Visit> {
  return browser.post(at(path), { ...formIn(await browser.get(at(path))), expiresIn: '30d', ...fields })
}

const statusOf = async (key: string) => {
  const { status } = await world.as({ key, workspace: 'acme' }).get('/v0/drives')
  return status
}

const namesOf = async (name: string) => {
  const { rows } = await world.pool.query('select name from api_keys where name = $1', [name])
  return rows.length
}

describe('your keys', () => {
  test('a new key is shown once, works, and is listed with its creator and expiry', async () => {
    const made = await create(admin, { name: 'deploy' })
    const again = await admin.get(at('/keys'))

    const key = keyIn(made)
    expect(made.status).toBe(200)
    expect(made.headers.get('cache-control')).toBe('no-store')
    expect(await statusOf(key)).toBe(200)
    expect(keyIn(again)).toBe('')
    expect(rowOf(again, 'deploy')).toContain(`…${key.slice(-4)}`)
    expect(rowOf(again, 'deploy')).toContain('by admin@acme.example')
    expect(rowOf(again, 'deploy')).toMatch(/Expires \d/)
  })

  test('the last use is shown', async () => {
    const key = keyIn(await create(admin, { name: 'used' }))
    const before = rowOf(await admin.get(at('/keys')), 'used')

    await statusOf(key)

    await waitFor('the use is recorded', async () => /Last used \d/.test(rowOf(await admin.get(at('/keys')), 'used')))
    expect(before).toContain('Last used Never')
  })

  test('a revoked key is removed from the page and rejected', async () => {
    const key = keyIn(await create(admin, { name: 'leaked', expiresIn: '' }))
    const page = await admin.get(at('/keys'))

    const revoked = await admin.follow(await admin.post(at(revokeIn(page, 'leaked'))))

    expect(rowOf(page, 'leaked')).toContain('Expires Never')
    expect(revoked.text).toContain('The key was revoked')
    expect(rowOf(revoked, 'leaked')).toBe('')
    expect(await statusOf(key)).toBe(401)
    const { rows } = await world.pool.query(
      "select action, actor_label, address is not null as has_address from audit_events where resource_name = 'leaked' order by id",
    )
    expect(rows).toEqual([
      { action: 'apikey.created', actor_label: 'admin@acme.example', has_address: true },
      { action: 'apikey.revoked', actor_label: 'admin@acme.example', has_address: true },
    ])
  })

  test('a form that is sent twice creates one key', async () => {
    const form = { ...formIn(await admin.get(at('/keys'))), name: 'twice', expiresIn: '30d' }

    const first = await admin.post(at('/keys'), form)
    const second = await admin.post(at('/keys'), form)

    expect([first.status, second.status]).toEqual([200, 409])
    expect(keyIn(second)).toBe('')
    expect(await namesOf('twice')).toBe(1)
  })

  test.each([
    ['', '30d', 'Name: '],
    ['x'.repeat(64), '30d', 'Name: '],
    ['odd', 'soon', 'Expires: must be seconds or a duration'],
  ])('a form with the name "%s" that expires in "%s" is rejected', async (name, expiresIn, complaint) => {
    const page = await create(admin, { name, expiresIn })

    expect(page.status).toBe(400)
    expect(page.text).toContain(complaint)
    expect(keyIn(page)).toBe('')
  })

  test('names are escaped', async () => {
    const page = await create(admin, { name: '"><script>alert(1)</script>' })

    expect(page.text).not.toContain('<script>')
  })

  test('the key of another person is not listed and cannot be revoked', async () => {
    await create(admin, { name: 'private' })
    const address = at(revokeIn(await admin.get(at('/keys')), 'private'))

    const answer = await member.post(address)

    expect(answer.status).toBe(404)
    expect(rowOf(await member.get(at('/keys')), 'private')).toBe('')
    expect(await namesOf('private')).toBe(1)
  })
})

describe('keys of service accounts', () => {
  const path = '/keys/workspaces/acme'

  test('a workspace admin creates and revokes them', async () => {
    const made = await create(admin, { name: 'robot', clientId: 'sa-robot' }, path)
    const page = await admin.get(at(path))
    const key = keyIn(made)
    const working = await statusOf(key)

    await admin.post(at(revokeIn(page, 'robot')), { clientId: 'sa-robot' })

    expect(rowOf(page, 'robot')).toContain('Service account sa-robot')
    expect(rowOf(page, 'robot')).toContain('by admin@acme.example')
    expect(working).toBe(200)
    expect(await namesOf('robot')).toBe(0)
  })

  test('other people get 403, and create nothing', async () => {
    const shown = await member.get(at(path))
    const sent = await member.post(at(path), { id: 'x', name: 'stolen', clientId: 'sa-robot', expiresIn: '30d' })
    const elsewhere = await admin.get(at('/keys/workspaces/never-was'))

    expect([shown.status, sent.status, elsewhere.status]).toEqual([403, 403, 403])
    expect(await namesOf('stolen')).toBe(0)
  })

  test('keys of account-wide service accounts are hidden', async () => {
    await world.addServiceAccount('sa-product', 'admin', 'product-secret')
    await world.pool.query("update service_accounts set account_wide = true where client_id = 'sa-product'")
    await world.pool.query(
      `insert into api_keys (id, hash, last4, name, service_account_id, created_by)
       values ('hidden', 'hidden', '1234', 'product-key', 'sa-product', 'operator')`,
    )

    const page = await admin.get(at(path))
    const revoked = await admin.post(at(`${path}/hidden/revoke`), { clientId: 'sa-product' })

    expect(page.text).not.toMatch(/product-key|sa-product/)
    expect(revoked.status).toBe(404)
    expect(await namesOf('product-key')).toBe(1)
  })

  test('a service account of another workspace returns 404', async () => {
    await world.enter('beta', 'admin@acme.example')
    await world.addServiceAccount('sa-beta', 'member', 'beta-secret', 'beta')

    const answer = await create(admin, { name: 'beside', clientId: 'sa-beta' }, path)

    expect(answer.status).toBe(404)
    expect(await namesOf('beside')).toBe(0)
  })
})

describe('service accounts', () => {
  const path = '/keys/workspaces/acme'
  const add = async (browser: HttpBrowser, fields: Record<string, string>) =>
    browser.post(at(`${path}/service-accounts`), { ...formIn(await browser.get(at(path))), ...fields })
  const idOf = ({ text }: Visit) => /id="new-client-id"[^>]*>([^<]+)</.exec(text)?.[1] ?? ''
  const secretOf = ({ text }: Visit) => /id="new-secret"[^>]*>([^<]+)</.exec(text)?.[1] ?? ''
  const countOf = async (name: string) =>
    (await world.pool.query('select from service_accounts where name = $1', [name])).rowCount

  test('are created by a workspace admin, with a secret that is shown once, and get keys', async () => {
    const made = await add(admin, { name: 'crawler', role: 'member' })
    const page = await admin.get(at(path))
    const key = keyIn(await create(admin, { name: 'of-crawler', clientId: idOf(made) }, path))

    expect([made.status, made.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(idOf(made)).toMatch(/^sa-[0-9a-f]{24}$/)
    expect(secretOf(made)).toMatch(/^[\w-]{43}$/)
    expect(page.text).toMatch(/<option value="sa-[0-9a-f]{24}"[^>]*>crawler</)
    expect(page.text).not.toContain(secretOf(made))
    expect(await statusOf(key)).toBe(200)
    const { rows } = await world.pool.query(
      "select action, actor_label from audit_events where resource_name = 'crawler' order by id",
    )
    expect(rows).toEqual([{ action: 'serviceaccount.created', actor_label: 'admin@acme.example' }])
  })

  test('are not created by members, for other workspaces, or by forms of other sites', async () => {
    const form = { ...formIn(await admin.get(at(path))), name: 'foreign', role: 'admin' }
    const elsewhere = '/keys/workspaces/never-was/service-accounts'

    const answers = [
      await member.post(at(`${path}/service-accounts`), form),
      await admin.post(at(elsewhere), form),
      await admin.post(at(`${path}/service-accounts`), form, { 'Sec-Fetch-Site': 'cross-site' }),
    ]

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403])
    expect(await countOf('foreign')).toBe(0)
  })

  test('a form that is sent twice creates one, and a name that is taken is rejected', async () => {
    const form = { ...formIn(await admin.get(at(path))), name: 'once', role: 'member' }

    const answers = [
      await admin.post(at(`${path}/service-accounts`), form),
      await admin.post(at(`${path}/service-accounts`), form),
      await add(admin, { name: 'once', role: 'member' }),
    ]

    expect(answers.map(({ status }) => status)).toEqual([200, 409, 409])
    expect(answers[2]?.text).toContain('This name is taken.')
    expect(await countOf('once')).toBe(1)
  })

  test.each([
    ['', 'member'],
    ['x'.repeat(64), 'member'],
    ['odd', 'owner'],
  ])('a form with the name "%s" and the role "%s" is rejected', async (name, role) => {
    const page = await add(admin, { name, role })

    expect([page.status, secretOf(page)]).toEqual([400, ''])
  })
})

describe('forms', () => {
  test('from another site are rejected', async () => {
    const form = { ...formIn(await admin.get(at('/keys'))), name: 'forged', expiresIn: '30d' }
    const address = at(revokeIn(await create(admin, { name: 'kept' }), 'kept'))

    const created = await admin.post(at('/keys'), form, { 'Sec-Fetch-Site': 'cross-site' })
    const revoked = await admin.post(address, {}, { 'Sec-Fetch-Site': 'same-site' })

    expect([created.status, revoked.status]).toEqual([403, 403])
    expect([await namesOf('forged'), await namesOf('kept')]).toEqual([0, 1])
  })

  test('without a session redirect to the sign-in', async () => {
    const answer = await new HttpBrowser().post(at('/keys'), { id: 'x', name: 'nobody', expiresIn: '30d' })

    expect(answer.status).toBe(303)
    expect(new URL(answer.headers.get('location') ?? '').searchParams.get('state')).toBe('/keys')
    expect(await namesOf('nobody')).toBe(0)
  })

  test('have the content security policy of every page', async () => {
    const page = await admin.get(at('/keys'))

    expect(page.headers.get('content-security-policy')).toContain("form-action 'self'")
    expect(page.text).not.toMatch(/<script|style="/)
  })
})
