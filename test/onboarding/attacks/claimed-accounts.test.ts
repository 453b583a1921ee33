// T4 and T5: accounts that a user or a tenant names, and the provider does not confirm.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import { type OnboardingWorld, startOnboarding } from '../../support/worlds/onboarding-world.ts'

const fromCallback = {
  keep: { fromCallback: { company: { pattern: '[A-Z]{1,20}', as: 'text' } } },
  account: { from: 'callback', id: 'company', label: 'company' },
} as const

let world: OnboardingWorld
let proving: OnboardingWorld
/** The provider's API: the user's token opens one company. */
const api = createServer((req, res) => {
  const isOwn = req.url === '/companies/OWN' && req.headers.authorization?.startsWith('Bearer ')
  res.writeHead(isOwn ? 200 : 403, { 'Content-Type': 'application/json' }).end('{}')
})

beforeAll(async () => {
  await once(api.listen(0, '127.0.0.1'), 'listening')
  const host = `127.0.0.1:${(api.address() as AddressInfo).port}`
  const proof = `http://${host}/companies/{company}`
  const env = { VERIFY_FUNCTIONS: 'false' }
  const proven = { ...fromCallback, account: { ...fromCallback.account, proof } }
  world = await startOnboarding({ integration: fromCallback, env })
  proving = await startOnboarding({ integration: proven, env, egressAllow: [host] })
})
afterAll(async () => {
  await Promise.all([world.close(), proving.close()])
  api.close()
})

/** The user edits the address of the callback. */
async function returnAs(at: OnboardingWorld, company: string, url: string): Promise<Record<string, string>> {
  const browser = new HttpBrowser()
  const { url: callback } = await browser.follow(await browser.post(url), `${at.url}/oauth/callback`)
  const back = await browser.follow(await browser.get(`${callback}&company=${company}`), 'https://acme.example')
  return Object.fromEntries(new URL(back.url).searchParams)
}

async function linkAs(at: OnboardingWorld, company: string) {
  const minted = await at.mint()
  return at.completeToTheEnd(minted, await returnAs(at, company, minted.url))
}

async function connectAs(at: OnboardingWorld, company: string) {
  const { connection } = await linkAs(at, company)
  return (await at.api('GET', `/connections/${connection.id}`)).body
}

describe('T5: a profile that takes the account from an unsigned callback', () => {
  test('marks the account as claimed', async () => {
    expect((await connectAs(world, 'VICTIM')).upstreamAccount).toEqual({ id: 'VICTIM', label: 'VICTIM', claimed: true })
  })

  test('requires a completion to re-link, because anyone who opens the URL chooses the account', async () => {
    const { id } = await connectAs(world, 'VICTIM')

    const { status, body } = await world.api('POST', `/connections/${id}/relink-sessions`, { reason: 'broken' })

    expect([status, body.errors?.[0]?.pointer]).toEqual([422, '/completionChallenge'])
  })
})

describe('T5: a profile that proves the account with the new token', () => {
  test('confirms the account that the token belongs to, and pins re-links to it', async () => {
    const { id, upstreamAccount } = await connectAs(proving, 'OWN')

    const { status } = await proving.api('POST', `/connections/${id}/relink-sessions`, { reason: 'broken' })

    expect([upstreamAccount, status]).toEqual([{ id: 'OWN', label: 'OWN' }, 201])
  })

  test('rejects an account that the token does not belong to, and revokes the grant', async () => {
    const link = await linkAs(proving, 'VICTIM')

    expect(link).toMatchObject({ status: 'failed', cause: { code: 'identity_invalid' } })
    expect(proving.provider.issued.at(-1)).toMatchObject({ revoked: true })
  })
})
