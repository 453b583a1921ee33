// Calls that the policy selects are made with the approval of a person, and not otherwise.
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, describe, expect, test } from 'vitest'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { approvalWorld, type Called, codeOf, urlOf } from '../../support/worlds/approval-world.ts'

afterAll(() => world.close())

const world = await approvalWorld()
const { state } = world.filebox
const first = await world.endUser('user-1')
const second = await world.endUser('user-2')
const member = await world.member('admin@acme.example')
const key = world.platform.admin.key

let files = 0
const write = (note?: string) => ({
  name: 'write_file',
  arguments: { path: `file-${++files}`, size: 1, ...(note && { note }) },
})
type Call = ReturnType<typeof write>

const connect = (token: string, url?: string) => world.connect(token, url === undefined ? {} : { url })
const call = async (client: Client, asked: object): Promise<Called> => (await client.callTool(asked as Call)) as Called
/** The URL at which a new call waits. */
const waiting = async (client: Client, asked: object = write()): Promise<string> => urlOf(await call(client, asked))

describe('a call that needs an approval', () => {
  test('is not sent, and its answer has one sentence with the URL', async () => {
    const before = state.apiRequests.length

    const answer = await call(await connect(first.token), write())

    expect(urlOf(answer)).toMatch(new RegExp(`^${world.origin}/oauth/approval/[A-Za-z0-9_-]{22}$`))
    expect(answer).toMatchObject({
      isError: true,
      content: [
        {
          text: `Filebox needs an approval for this call: ask the user to open ${urlOf(answer)}, and repeat the same call afterwards.`,
        },
      ],
      _meta: { code: 'approval_required' },
    })
    expect(state.apiRequests).toHaveLength(before)
  })

  test('has the same URL when it is repeated, and another for other arguments and other callers', async () => {
    const asked = write()
    const [own, other] = [await connect(first.token), await connect(second.token)]

    const urls = [await waiting(own, asked), await waiting(own, asked), await waiting(own), await waiting(other, asked)]

    expect(urls[0]).toBe(urls[1])
    expect(new Set(urls).size).toBe(3)
  })

  test('once: is made by the next identical call, and by no other', async () => {
    const client = await connect(first.token)
    const asked = write()
    await world.decide(first.browser, await waiting(client, asked), 'once')
    const before = state.accepted
    const { path } = asked.arguments

    const codes = [
      codeOf(await call(client, { ...asked, arguments: { path, size: 2 } })),
      codeOf(await call(await connect(second.token), asked)),
      codeOf(await call(client, { ...asked, arguments: { size: 1, path } })),
      codeOf(await call(client, asked)),
    ]

    expect(codes).toEqual(['approval_required', 'approval_required', 'answered', 'approval_required'])
    expect(state.accepted - before).toBe(1)
  })

  test('for an hour: covers other arguments of the tool, but no other caller and no other tool', async () => {
    const third = await world.endUser('user-3')
    const client = await connect(third.token)
    await world.decide(third.browser, await waiting(client), 'hour')

    const codes = [
      codeOf(await call(client, write())),
      codeOf(await call(client, write())),
      codeOf(await call(await connect(first.token), write())),
    ]

    expect(codes).toEqual(['answered', 'answered', 'approval_required'])
  })

  test('for an hour: ends when the person stops it', async () => {
    const fourth = await world.endUser('user-4')
    const client = await connect(fourth.token)
    const url = await waiting(client)
    await world.decide(fourth.browser, url, 'hour')
    const allowed = codeOf(await call(client, write()))

    await world.decide(fourth.browser, url, 'stop')

    expect([allowed, codeOf(await call(client, write()))]).toEqual(['answered', 'approval_required'])
  })

  test('declined: is refused without another question', async () => {
    const client = await connect(first.token)
    const asked = write()
    await world.decide(first.browser, await waiting(client, asked), 'decline')

    const answer = await call(client, asked)

    expect([codeOf(answer), urlOf(answer)]).toEqual(['approval_declined', ''])
    expect(answer.content[0]?.text).toContain('Do not repeat it')
  })

  test('too many questions of one caller are refused', async () => {
    const eager = await world.endUser('eager')
    const client = await connect(eager.token)

    const answers: Called[] = []
    for (let at = 0; at < 21; at++) answers.push(await call(client, write()))

    expect(answers.map(codeOf).slice(-2)).toEqual(['approval_required', 'rate_limited'])
  })

  test('reads need none', async () => {
    const answer = await call(await connect(first.token), { name: 'list_files', arguments: {} })

    expect(codeOf(answer)).toBe('answered')
  })

  test('the request tool: by its method, and for an hour for one path', async () => {
    const fifth = await world.endUser('user-5')
    const client = await connect(fifth.token)
    const request = (method: string, path: string) => ({
      name: 'request',
      arguments: { method, url: `${world.filebox.url}/api/${path}` },
    })
    const read = codeOf(await call(client, request('GET', 'a')))
    await world.decide(fifth.browser, await waiting(client, request('DELETE', 'a')), 'hour')

    const codes = [
      codeOf(await call(client, request('DELETE', 'a?x=1'))),
      codeOf(await call(client, request('DELETE', 'b'))),
      codeOf(await call(client, request('PUT', 'a'))),
    ]

    expect(read).toBe('answered')
    expect(codes).toEqual(['answered', 'approval_required', 'approval_required'])
  })

  test('whose grant was dead keeps its approval until it is made', async () => {
    const client = await connect(first.token)
    const asked = write()
    await world.decide(first.browser, await waiting(client, asked), 'once')
    world.killGrant()

    const failed = codeOf(await call(client, asked))
    await world.relink()
    const codes = [codeOf(await call(client, asked)), codeOf(await call(client, asked))]

    expect([failed, ...codes]).toEqual(['grant_revoked', 'answered', 'approval_required'])
  })

  test('that was started and never answered is reported, and not sent again', async () => {
    const client = await connect(first.token)
    const asked = write()
    await world.decide(first.browser, await waiting(client, asked), 'once')
    const [sent, cutOff] = [state.apiRequests.length, state.cutOff]
    state.hold = true
    const leaving = new AbortController()
    const left = client.callTool(asked as never, { signal: leaving.signal }).catch(() => 'left')
    await waitFor('the call is at the provider', () => state.apiRequests.length > sent)
    leaving.abort()
    await waitFor('the platform hung up', () => state.cutOff > cutOff)
    world.filebox.release()
    await left

    const next = await call(client, asked)
    const page = await first.browser.get(urlOf(next))

    expect(codeOf(next)).toBe('approval_required')
    expect(next.content[0]?.text).toContain('its answer is not known')
    expect(page.text).toContain('This may already have happened')
    expect(state.apiRequests.length - sent).toBe(1)
  })
})

describe('the people who decide', () => {
  test.each([
    ['an end user, for their own call', first, first],
    ['a member, for their own call', member, member],
  ])('%s', async (_, caller, decider) => {
    const client = await connect(caller.token)
    const asked = write()

    await world.decide(decider.browser, await waiting(client, asked), 'once')

    expect(codeOf(await call(client, asked))).toBe('answered')
  })

  test('an end user, in a browser with a login for another function of theirs', async () => {
    const { token } = await world.endUser('user-8')
    const browser = new HttpBrowser()
    const { url } = await world.login({ id: 'user-8', label: 'user-8@acme.example' }, 'shared')
    await browser.get(url)
    await browser.post(url)
    const client = await connect(token)
    const asked = write()

    await world.decide(browser, await waiting(client, asked), 'once')

    expect(codeOf(await call(client, asked))).toBe('answered')
  })

  test('an end user of the function, for a call with a workspace key', async () => {
    const client = await connect(key)
    const asked = write()
    const url = await waiting(client, asked)
    const ofMember = await world.decide(member.browser, url, 'once')

    await world.decide(second.browser, url, 'once')

    expect(ofMember.status).toBe(403)
    expect(codeOf(await call(client, asked))).toBe('answered')
  })

  test('only the approvers, if a rule names some: members and end users of the workspace', async () => {
    const boss = await world.endUser('boss')
    const client = await connect(key, world.sharedUrl)
    const [one, other] = [write(), write()]
    const urls = [await waiting(client, one), await waiting(client, other)]

    const refused = await world.decide(first.browser, urls[0] ?? '', 'once')
    await world.decide(member.browser, urls[0] ?? '', 'once')
    await world.decide(boss.browser, urls[1] ?? '', 'once')

    expect(refused.status).toBe(403)
    expect([codeOf(await call(client, one)), codeOf(await call(client, other))]).toEqual(['answered', 'answered'])
  })

  test('nobody else: strangers see neither the call nor who made it', async () => {
    const url = await waiting(await connect(first.token), write('CANARY-note'))

    const stranger = await second.browser.get(url)
    const nobody = await new HttpBrowser().get(url)
    const ofMember = await new HttpBrowser().get(await waiting(await connect(member.token)))

    expect([stranger.status, nobody.status, ofMember.status]).toEqual([403, 200, 303])
    expect(stranger.text).toContain('This link is for someone else')
    expect(nobody.text).toContain('Tell us who you are')
    expect(stranger.text + nobody.text).not.toMatch(/CANARY|write_file|user-1|Filebox/)
    expect(ofMember.headers.get('location')).toContain('/oauth/authorize?')
  })
})

describe('the page', () => {
  test('shows the tool, the account and every value, with hidden characters as codes', async () => {
    const url = await waiting(await connect(first.token), write('pay \u202e001 <b>\u200b'))

    const page = await first.browser.get(url)

    expect(page.status).toBe(200)
    expect(page.text).toContain('write_file')
    expect(page.text).toContain('Writes a file.')
    expect(page.text).toContain('Filebox (files)')
    expect(page.text).toContain('pay ⟨U+202E⟩001 &lt;b&gt;⟨U+200B⟩')
    expect(page.text).toContain('user-1@acme.example')
  })

  test('says what was decided, and forgets the arguments', async () => {
    const url = await waiting(await connect(first.token), write('CANARY-note'))
    await world.decide(first.browser, url, 'once')

    const page = await first.browser.get(url)

    expect(page.text).toContain('Allowed once')
    expect(page.text).not.toContain('CANARY-note')
    const { rows } = await world.platform.pool.query(
      'select count(*) from approvals where asked is not null and decided_at is not null',
    )
    expect(Number(rows[0].count)).toBe(0)
  })

  test('refuses forms of other sites and unknown decisions, and ignores a second decision', async () => {
    const client = await connect(first.token)
    const asked = write()
    const url = await waiting(client, asked)

    const foreign = await first.browser.post(url, { decision: 'once' }, { Origin: 'https://evil.example' })
    const unknown = await world.decide(first.browser, url, 'always')
    await world.decide(first.browser, url, 'decline')
    await world.decide(first.browser, url, 'once')

    expect([foreign.status, unknown.status]).toEqual([403, 400])
    expect(codeOf(await call(client, asked))).toBe('approval_declined')
  })
})

test('every step is in the audit log of the workspace', async () => {
  const client = await connect(first.token)
  const asked = write()
  const url = await waiting(client, asked)
  await world.decide(first.browser, url, 'once')
  await call(client, asked)

  const { body } = await world.api.get('/v0/audit?limit=200').expect(200)

  const id = url.split('/').at(-1)
  type Entry = { action: string; actor: { kind: string; name: string }; resource: { id: string; kind: string } }
  const entries = (body.data as Entry[]).filter(({ resource }) => resource.id === id)
  expect(entries.map(({ action, actor }) => [action, actor.kind, actor.name])).toEqual([
    ['approval.used', 'end_user', 'user-1@acme.example'],
    ['approval.allowed', 'end_user', 'user-1@acme.example'],
    ['approval.requested', 'end_user', 'user-1@acme.example'],
  ])
})

test('the API lists them by their last change, for members of the workspace, without arguments', async () => {
  const since = new Date().toISOString()
  const client = await connect(first.token)
  const [one, other] = [write('CANARY-note'), write('CANARY-note')]
  const urls = [await waiting(client, one), await waiting(client, other)]
  await world.decide(first.browser, urls[0] ?? '', 'once')
  const list = async (query = '', api = world.api) =>
    (await api.get(`/v0/approvals?since=${since}${query}`).expect(200)).body

  const decided = await list('&connection=files')
  const page = await list('&limit=1')
  const rest = await list(`&limit=1&cursor=${page.meta.nextCursor}`)
  await call(client, one)
  const used = await list()
  const elsewhere = await list('', world.platform.as(await world.platform.enter('other', 'x@other.example')))

  type Item = { url: string; state: string }
  const states = ({ data }: { data: Item[] }) => data.map(({ url, state }) => [urls.indexOf(url), state])
  expect(states(decided)).toEqual([
    [1, 'waiting'],
    [0, 'allowed_once'],
  ])
  expect([...page.data, ...rest.data]).toEqual(decided.data)
  expect(states(used)).toEqual([
    [1, 'waiting'],
    [0, 'used'],
  ])
  expect(used.data[1]).toMatchObject({
    connection: 'files',
    function: 'files',
    tool: 'write_file',
    caller: { kind: 'end_user', name: 'user-1@acme.example' },
    decidedBy: { kind: 'end_user', name: 'user-1@acme.example' },
  })
  expect(JSON.stringify(used)).not.toContain('CANARY')
  expect(elsewhere.data).toEqual([])
})
