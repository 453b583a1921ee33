// A call with a dead grant leads the person who made it, and nobody else, to the page where the grant is renewed.
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import { fileboxConnection } from '../../support/worlds/function-world.ts'
import { productPage, repairWorld } from '../../support/worlds/repair-world.ts'

afterAll(() => world.close())

const world = await repairWorld()
const first = await world.endUser('user-1')
const second = await world.endUser('user-2')
const member = await world.member('admin@acme.example')
const other = await world.platform.join('acme', 'other@acme.example', 'member')

beforeEach(async () => {
  await world.relink()
})

type Called = { isError?: boolean; content: unknown; _meta?: { code?: string; repairUrl?: string } }

async function failedCall(token: string, mode: 'auto' | 'legacy' = 'auto'): Promise<Called> {
  const client = await world.connect(token, { mode })
  world.killGrant()
  return (await client.callTool({ name: 'list_files', arguments: {} })) as Called
}

const urlOf = ({ _meta }: Called): string => _meta?.repairUrl ?? ''

describe('a client that declares nothing', () => {
  test.each(['auto', 'legacy'] as const)(
    'gets one sentence with the URL (%s), and its next call works',
    async (mode) => {
      const client = await world.connect(first.token, { mode })
      world.killGrant()

      const failed = (await client.callTool({ name: 'list_files', arguments: {} })) as Called
      await world.relink()
      const next = await client.callTool({ name: 'list_files', arguments: {} })

      const url = urlOf(failed)
      expect(url).toMatch(new RegExp(`^${world.origin}/oauth/repair/[A-Za-z0-9_-]{22}$`))
      expect(failed).toMatchObject({
        isError: true,
        content: [
          {
            type: 'text',
            text: `Filebox needs re-linking: ask the user to open ${url}, and repeat the call afterwards.`,
          },
        ],
        _meta: { code: 'grant_revoked' },
      })
      expect(next.isError).toBe(false)
    },
  )

  test('an agent that repeats the call gets the same URL; another caller and other secrets get another', async () => {
    const urls = [urlOf(await failedCall(first.token)), urlOf(await failedCall(first.token))]
    const ofAnother = urlOf(await failedCall(second.token))
    await world.relink()
    const ofOtherSecrets = urlOf(await failedCall(first.token))

    expect(urls[0]).toBe(urls[1])
    expect(new Set([...urls, ofAnother, ofOtherSecrets]).size).toBe(3)
  })

  test('before an account is linked: gets the URL without a request to the app, and its next call works', async () => {
    await world.unlink()
    const client = await world.connect(first.token)
    const before = world.filebox.state.accepted

    const failed = (await client.callTool({ name: 'list_files', arguments: {} })) as Called
    const sent = world.filebox.state.accepted - before
    await world.relink()
    const next = await client.callTool({ name: 'list_files', arguments: {} })

    const text = `Filebox has no linked account yet: ask the user to open ${urlOf(failed)}, and repeat the call afterwards.`
    expect(failed).toMatchObject({ isError: true, content: [{ type: 'text', text }], _meta: { code: 'not_linked' } })
    expect([sent, next.isError]).toEqual([0, false])
  })

  test('an API that asks for a permission: gets the URL, and its next call works', async () => {
    const client = await world.connect(first.token)
    world.filebox.state.lacksScope = true

    const failed = (await client.callTool({ name: 'list_files', arguments: {} })) as Called
    world.filebox.state.lacksScope = false
    await world.relink()
    const next = await client.callTool({ name: 'list_files', arguments: {} })

    const text = `Filebox needs more permissions for this call: ask the user to open ${urlOf(failed)}, and repeat the call afterwards.`
    expect(failed).toMatchObject({
      isError: true,
      content: [{ type: 'text', text }],
      _meta: { code: 'insufficient_scope', scope: 'files' },
    })
    expect(next.isError).toBe(false)
  })

  test('a call with a workspace key leads to the product, which knows its users', async () => {
    const failed = await failedCall(world.platform.admin.key)

    expect(urlOf(failed)).toBe(productPage)
  })

  test('a connection without a page keeps its sentence', async () => {
    await world.api.put('/v0/integrations/connections/files').send(fileboxConnection('dead')).expect(200)

    const failed = await failedCall(first.token)

    expect(failed._meta).toMatchObject({ code: 'grant_revoked' })
    expect(failed._meta?.repairUrl).toBeUndefined()
  })

  test('the answer is never 401, which would end the login of the client', async () => {
    world.killGrant()
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_files', arguments: {} } }

    const answer = await world.post(world.mcpUrl, call, { 'X-Service-Authorization': `Bearer ${first.token}` })

    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([200, null])
  })
})

describe('the page', () => {
  const ticketOf = (url: string) => new URL(url).searchParams.get('ticket') ?? ''

  test.each([
    ['an end user', first, { kind: 'end_user', endUserId: 'user-1' }],
    ['a member', member, { kind: 'user' }],
  ])('sends the browser of %s who made the call on to the product', async (_, { browser, token }, caller) => {
    const visit = await browser.get(urlOf(await failedCall(token)))

    const location = visit.headers.get('location') ?? ''
    expect([visit.status, location.split('?')[0]]).toEqual([303, productPage])
    const redeemed = await world.redeem(ticketOf(location)).expect(200)
    expect(redeemed.body).toEqual({
      id: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
      page: `${world.origin}/oauth/repair/${redeemed.body.id}`,
      code: 'grant_revoked',
      function: 'files',
      caller,
    })
  })

  test('brings what the product sent back to the product, and only with the person who made the call', async () => {
    const back = `${urlOf(await failedCall(first.token))}?connect_session_id=ses_1&completion_code=abc&status=authorized`

    const own = await first.browser.get(back)
    const others = await second.browser.get(back)

    const location = new URL(own.headers.get('location') ?? '')
    expect(location.href).toContain(`${productPage}?connect_session_id=ses_1&completion_code=abc&ticket=`)
    expect([others.status, others.text.includes('abc')]).toEqual([403, false])
  })

  test.each([
    ['another end user', second.browser, first],
    ['an end user, for a call of a member', first.browser, member],
    ['a member, for a call of an end user', member.browser, first],
  ])('T20: the link of a failed call stops %s', async (_, browser, { token }) => {
    const visit = await browser.get(urlOf(await failedCall(token)))

    expect([visit.status, visit.headers.get('location')]).toEqual([403, null])
    expect(visit.text).toContain('This link is for someone else')
    expect(visit.text).not.toContain(productPage)
  })

  test('asks a member who is not signed in to sign in, and an end user to go to the product', async () => {
    const ofMember = await new HttpBrowser().get(urlOf(await failedCall(member.token)))
    const ofEndUser = await new HttpBrowser().get(urlOf(await failedCall(first.token)))

    expect(ofMember.headers.get('location')).toContain('/oauth/authorize?')
    expect(ofEndUser.status).toBe(200)
    expect(ofEndUser.text).toContain(`href="${productPage}"`)
    expect(ofEndUser.text).not.toContain('ticket')
  })

  test('says that the grant was renewed, and that an unknown link has expired', async () => {
    const url = urlOf(await failedCall(first.token))
    await world.relink()

    const renewed = await first.browser.get(url)
    const unknown = await first.browser.get(`${world.origin}/oauth/repair/${'a'.repeat(22)}`)

    expect(renewed.text).toContain('Filebox works')
    expect([unknown.status, unknown.text.includes('This link has expired')]).toEqual([404, true])
  })

  test('T21: a ticket works once, for its connection and workspace, and is replaced by the next one', async () => {
    const url = urlOf(await failedCall(first.token))
    const visit = async () => ticketOf((await first.browser.get(url)).headers.get('location') ?? '')
    const outdated = await visit()
    const ticket = await visit()
    await world.api
      .post('/v0/integrations/connections')
      .send({ ...fileboxConnection('x'), metadata: { name: 'others' } })
      .expect(200)
    const elsewhere = await world.platform.enter('elsewhere', 'x@elsewhere.example')

    await world.redeem(outdated).expect(404)
    await world.redeem(ticket, 'others').expect(404)
    await world.platform
      .as(elsewhere)
      .post('/v0/integrations/connections/files/repair-tickets')
      .send({ ticket })
      .expect(404)
    await world.platform
      .as(other)
      .post('/v0/integrations/connections/files/repair-tickets')
      .send({ ticket })
      .expect(403)
    await world.redeem(ticket).expect(200)
    await world.redeem(ticket).expect(404)
  })
})
