import { afterAll, describe, expect, test } from 'vitest'
import { type PlainClient, plainClient, startProvider } from './plain-client.ts'

const provider = await startProvider()
afterAll(() => provider.close())

const at = (path: string) => plainClient(provider, path)
const days = (count: number) => ({ advanceSeconds: count * 86_400 })

describe('issuing a refresh token', () => {
  test('asked: only on request', async () => {
    const client = at('g;refresh_token=asked')

    expect(await client.link({ access_type: undefined })).not.toHaveProperty('refresh_token')
    expect(await client.link({ scope: 'openid offline_access', access_type: undefined })).toHaveProperty(
      'refresh_token',
    )
  })

  test('first_consent: a second time only if consent is forced', async () => {
    const client = at('g;refresh_token=first_consent')

    expect(await client.link()).toHaveProperty('refresh_token')
    expect(await client.link()).not.toHaveProperty('refresh_token')
    expect(await client.link({ prompt: 'consent' })).toHaveProperty('refresh_token')
  })

  test.each(['app_setting', 'approved'])('%s: once the app has the setting', async (when) => {
    const client = at(`g;refresh_token=${when}`)

    expect(await client.link()).not.toHaveProperty('refresh_token')
    await client.control('/app-setting', 'PUT', { refreshTokens: true })
    expect(await client.link()).toHaveProperty('refresh_token')
  })
})

describe('rotation', () => {
  test('replaces: the old token ends, and the grant stays alive', async () => {
    const client = at('g;rotation=replaces')
    const { refresh_token: first } = await client.link()

    const { body } = await client.refresh(first)

    expect((await client.refresh(first)).body.error).toBe('invalid_grant')
    expect((await client.refresh(body.refresh_token)).status).toBe(200)
  })

  test('single_use: the second use of a token ends the whole grant', async () => {
    const client = at('g;rotation=single_use')
    const { refresh_token: first } = await client.link()
    const { body } = await client.refresh(first)

    await client.refresh(first)

    expect((await client.refresh(body.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('rotation_grace: the old token works for a while', async () => {
    const client = at('g;rotation=single_use;rotation_grace=10m')
    const { refresh_token: first } = await client.link()
    await client.refresh(first)

    expect((await client.refresh(first)).status).toBe(200)
    await client.control('/clock', 'POST', { advanceSeconds: 601 })
    expect((await client.refresh(first)).body.error).toBe('invalid_grant')
  })
})

describe('the end of a grant', () => {
  const endsAfter = async (client: PlainClient, refreshToken: string, seconds: object) => {
    await client.control('/clock', 'POST', seconds)
    return (await client.refresh(refreshToken)).status
  }

  test('at its max age, even if it is used', async () => {
    const client = at('g;preset=google-testing')
    const { refresh_token: token } = await client.link()

    expect(await endsAfter(client, token, days(6))).toBe(200)
    expect(await endsAfter(client, token, days(1))).toBe(400)
  })

  test('when it is idle: a refresh restarts the timer', async () => {
    const client = at('g;refresh_idle=60d')
    const { refresh_token: token } = await client.link()

    expect(await endsAfter(client, token, days(59))).toBe(200)
    expect(await endsAfter(client, token, days(59))).toBe(200)
    expect(await endsAfter(client, token, days(60))).toBe(400)
  })

  test('sooner with a faster clock', async () => {
    const client = at('g;grant_max_age=7d;clock_speed=100000000')
    const { refresh_token: token } = await client.link()

    await expect.poll(async () => (await client.refresh(token)).status).toBe(400)
  })

  test('when a newer grant exceeds the limit', async () => {
    const client = at('g;grant_limit=2')
    const tokens = [await client.link(), await client.link(), await client.link()]

    const states = await Promise.all(tokens.map(async (each) => (await client.refresh(each.refresh_token)).status))

    expect(states).toEqual([400, 200, 200])
  })

  test('by /control/end-grants, or with all others by grants=dead', async () => {
    const client = at('g-user')
    const [one, other] = [await client.link(), await client.link()]

    await client.control('/end-grants', 'POST', { account: 'somebody-else' })
    expect((await client.refresh(one.refresh_token)).status).toBe(200)
    await client.control('/end-grants', 'POST', { account: 'ada' })
    expect((await client.refresh(one.refresh_token)).status).toBe(400)
    await client.control('/switches', 'PATCH', { grants: 'dead' })
    expect((await client.refresh(other.refresh_token)).status).toBe(400)
  })
})

describe('revocation', () => {
  const basic = ({ client }: PlainClient) => ({
    Authorization: `Basic ${btoa(`${client.client_id}:${client.client_secret}`)}`,
  })
  const ways: Record<string, (client: PlainClient, access: string, refresh: string) => Promise<{ status: number }>> = {
    rfc7009: (client, _access, refresh) => client.post('/revoke', { token: refresh, ...client.client }),
    bearer: (client, access) => client.post('/token/revoke', {}, { Authorization: `Bearer ${access}` }),
    delete: (client, access) =>
      client.send(`/applications/${client.client.client_id}/grant`, {
        method: 'DELETE',
        headers: { ...basic(client), 'Content-Type': 'application/json' },
        body: JSON.stringify({ access_token: access }),
      }),
    client_header: (client, access) =>
      client.postJson(
        '/oauth2/revoke',
        { client_id: client.client.client_id, access_token: access },
        { Authorization: `Client ${client.client.client_secret}` },
      ),
    deauthorize: (client) =>
      client.post(
        '/deauthorize',
        { client_id: client.client.client_id, account_id: 'account-ada' },
        { Authorization: `Bearer ${client.client.client_secret}` },
      ),
  }

  test.each(Object.keys(ways))('%s ends the grant, and the other ways do not exist', async (style) => {
    const client = at(`v;revocation=${style}`)
    const { access_token: access, refresh_token: token } = await client.link()
    const others = Object.entries(ways).filter(([name]) => name !== style)

    for (const [, other] of others) expect((await other(client, access, token)).status).toBe(404)
    expect((await client.files(access)).status).toBe(200)
    expect((await ways[style]?.(client, access, token))?.status).toBe(200)

    expect((await client.files(access)).status).toBe(401)
    expect((await client.refresh(token)).status).toBe(400)
  })

  test('revocation_reach=grant ends all grants of the user to this app', async () => {
    const client = at('v;revocation_reach=grant')
    const [one, other] = [await client.link(), await client.link()]

    await client.post('/revoke', { token: one.refresh_token, ...client.client })

    expect((await client.refresh(other.refresh_token)).status).toBe(400)
  })

  test('a request without client authentication ends nothing', async () => {
    const client = at('v')
    const { refresh_token: token } = await client.link()

    const answer = await client.post('/revoke', { token, ...client.client, client_secret: 'wrong' })

    expect(answer.status).toBe(401)
    expect((await client.refresh(token)).status).toBe(200)
  })
})
