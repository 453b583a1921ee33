// Cases 12 and 14 of the attack catalogue: an answer of one provider is never taken for another's.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { misbehaviours, sendsOnTo } from '../../support/doubles/provider/misbehaviours.ts'
import { type ProviderDouble, startProvider } from '../../support/doubles/provider/provider.ts'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import { type AttackWorld, linkOf, queryOf, startAttackWorld, withQuery } from '../../support/worlds/attack-world.ts'

let evil: ProviderDouble
let world: AttackWorld

beforeAll(async () => {
  evil = await startProvider()
  world = await startAttackWorld({ others: { evil } })
})
afterAll(async () => {
  await world.close()
  await evil.close()
})

describe('case 12, mix-up', () => {
  test('a code of the honest provider, obtained by a malicious one, matches neither its path nor its record', async () => {
    evil.misbehave(sendsOnTo(world.provider, `${world.url}/oauth/callback/provider`))
    const minted = await world.mint({ integrationId: 'evil' })
    const browser = new HttpBrowser()
    const before = await world.mark()

    const visited = await browser.follow(await browser.post(minted.url))

    expect(visited.url).toContain('/oauth/callback/provider?')
    expect(visited.status).toBe(403)
    expect(evil.seen.tokenRequests).toEqual([])
    await world.check(before, {
      audit: { action: 'callback.rejected', facts: { refusal: 'context_mismatch' }, of: minted },
    })
  })

  test('with a shared redirect URI, the iss parameter detects the mix-up', async () => {
    evil.misbehave(sendsOnTo(world.provider, `${world.url}/oauth/callback/evil`))
    const minted = await world.mint({ integrationId: 'evil' })
    const browser = new HttpBrowser()
    const before = await world.mark()

    const visited = await browser.follow(await browser.post(minted.url))

    expect(visited.url).toContain('/oauth/callback/evil?')
    expect(visited.status).toBe(403)
    expect(evil.seen.tokenRequests).toEqual([])
    await world.check(before, {
      audit: { action: 'link.failed', facts: { cause: 'callback_rejected', detail: 'iss_mismatch' }, of: minted },
    })
  })

  test('a callback for an unknown integration is rejected, and the correct one still works', async () => {
    const minted = await world.mint()
    const { url, browser } = await world.untilCallback(minted)
    const before = await world.mark()

    const { status } = await browser.get(url.replace('/callback/provider', '/callback/nothing'))

    expect(status).toBe(403)
    await world.check(before, {
      audit: { action: 'callback.rejected', facts: { refusal: 'context_mismatch' }, of: minted },
    })
    expect(queryOf((await browser.get(url)).headers.get('location'))).toMatchObject({ status: 'authorized' })
  })
})

describe('case 14, iss checks', () => {
  const names: Record<string, (honest: string) => string | undefined> = {
    'another name': () => 'https://elsewhere.example',
    'no name, although one was promised': () => undefined,
    'an empty name': () => '',
    'a slash at the end': (honest) => `${honest}/`,
    'capital letters': (honest) => honest.toUpperCase(),
    'another scheme': (honest) => honest.replace('http:', 'https:'),
  }

  test.each(Object.entries(names))('%s ends the link without a token request', async (_name, nameOf) => {
    const minted = await world.mint()
    const { url, browser } = await world.untilCallback(minted)
    const before = await world.mark()

    const { status } = await browser.get(withQuery(url, { iss: nameOf(world.provider.url) }))

    expect(status).toBe(403)
    expect(await linkOf(world, minted)).toMatchObject({ status: 'failed', cause: { code: 'callback_rejected' } })
    await world.check(before, {
      audit: { action: 'link.failed', facts: { cause: 'callback_rejected', detail: 'iss_mismatch' }, of: minted },
    })
  })

  test('a repeated iss parameter is rejected, and the flow stays open', async () => {
    const { url, browser } = await world.untilCallback(await world.mint())
    const before = await world.mark()

    const { status } = await browser.get(`${url}&iss=${encodeURIComponent(world.provider.url)}`)

    expect(status).toBe(400)
    await world.check(before, { audit: { action: 'callback.rejected', facts: { refusal: 'param_pollution' } } })
  })

  test('iss is required if the profile requires it, even if the metadata does not', async () => {
    const strict = await startAttackWorld({ integration: { issuerInCallback: true } })
    strict.provider.misbehave(misbehaviours.neverNamesItself)
    const minted = await strict.mint()
    const { url, browser } = await strict.untilCallback(minted)
    const before = await strict.mark()

    const { status } = await browser.get(url)

    expect(status).toBe(403)
    await strict.check(before, {
      audit: { action: 'link.failed', facts: { cause: 'callback_rejected', detail: 'iss_mismatch' }, of: minted },
    })
    await strict.close()
  })

  test('without an announcement, iss may be absent or must match', async () => {
    const lax = await startAttackWorld()
    lax.provider.misbehave(misbehaviours.namesItselfUnasked)
    const before = await lax.mark()
    const flows = await Promise.all(
      [undefined, lax.provider.url, 'https://elsewhere.example', ''].map(async (iss) => {
        const minted = await lax.mint()
        const { url, browser } = await lax.untilCallback(minted)
        return { minted, ...(await browser.get(withQuery(url, { iss }))) }
      }),
    )

    expect(flows.map(({ status }) => status)).toEqual([303, 303, 403, 403])
    const refused = flows.slice(2).map(({ minted }) => minted)
    await lax.check(before, {
      audit: { action: 'link.failed', facts: { cause: 'callback_rejected', detail: 'iss_mismatch' }, of: refused },
    })
    await lax.close()
  })
})
