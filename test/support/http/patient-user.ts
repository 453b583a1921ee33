// A user and a tenant who retry when a server is down.

import { waitFor } from '../oracles/wait-for.ts'
import { type Fleet, untilLink } from '../processes/onboarding-process.ts'
import type { MintedSession, SessionMembers } from '../worlds/onboarding-world.ts'
import { HttpBrowser, type Visit } from './http-browser.ts'

export type Journey = {
  minted: MintedSession
  outcome: 'completed' | 'page ended' | 'returned'
  last: number
  /** What the tenant was told. */
  isLinked?: boolean
}

type PatientOptions = { mint?: SessionMembers; browser?: HttpBrowser; withinMs?: number }

/** Repeats each step until it succeeds. Returns how far it got. */
export async function linkPatiently(fleet: Fleet, options: PatientOptions = {}): Promise<Journey> {
  const { browser = new HttpBrowser(), withinMs = 60_000 } = options
  const patience = { withinMs }
  const { minted } = await answered('minted', () => fleet.tryMint(options.mint), patience)
  const started = await answered('started', () => browser.post(minted.url), patience)
  if (started.status !== 200) return { minted, outcome: 'page ended', last: started.status }
  const atCallback = await untilCallback(fleet, minted, browser, started)
  const back = await answered('called back', () => browser.get(atCallback), patience)
  const query = new URL(back.headers.get('location') ?? '/', fleet.url).searchParams
  const completionCode = query.get('completion_code')
  if (!completionCode) return { minted, outcome: 'returned', last: back.status }
  const completed = await answered('completed', () => fleet.complete(minted, completionCode), patience)
  const isLinked = completed.body?.status === 'linked'
  return { minted, outcome: 'completed', last: completed.status, isLinked }
}

export async function relinkPatiently(fleet: Fleet, between: () => void = () => {}): Promise<Journey> {
  const first = await linkPatiently(fleet)
  const link = await untilLink(fleet, first.minted, ['linked'])
  between()
  const path = `/connections/${link.connection_id}/relink-sessions`
  const { body } = await answered('minted', () => fleet.api('POST', path, { reason: 'it stopped working' }))
  const minted = { id: body.id, url: body.url, verifier: '' }
  const browser = new HttpBrowser()
  const started = await answered('started', () => browser.post(minted.url))
  const callback = await untilCallback(fleet, minted, browser, started)
  const back = await answered('called back', () => browser.get(callback))
  return { minted, outcome: 'returned', last: back.status }
}

/** Requests a task on the linked connection until the ledger has it, because a crash may cut off the first request. */
export async function requestTask(fleet: Fleet, { minted }: Journey, kind: 'disconnect' | 'rollback'): Promise<string> {
  const { connection_id: id } = await untilLink(fleet, minted, ['linked'])
  await answered(kind, async () => {
    await fleet.api('POST', `/connections/${id}/${kind}`, { reason: 'any' }).catch(() => undefined)
    const { rows } = await fleet.sql.query('select id from connection_tasks where connection_id = $1', [id])
    return { status: rows.length > 0 ? 200 : 503 }
  })
  return id
}

/** A user who has agreed and is about to come back to us. */
export async function beginLink(fleet: Fleet, mint: SessionMembers = {}) {
  const browser = new HttpBrowser()
  const { minted } = await answered('minted', () => fleet.tryMint(mint))
  const started = await answered('started', () => browser.post(minted.url))
  return { minted, browser, callback: await untilCallback(fleet, minted, browser, started) }
}

export async function finishLink(fleet: Fleet, { minted, browser, callback }: Begun) {
  const back = await browser.get(callback)
  const completionCode = new URL(back.headers.get('location') ?? '/', fleet.url).searchParams.get('completion_code')
  return fleet.complete(minted, completionCode ?? 'none')
}

export type Begun = Awaited<ReturnType<typeof beginLink>>

export async function untilCallback(fleet: Fleet, minted: MintedSession, browser: HttpBrowser, started: Visit) {
  const { url } = await browser.follow(started, `${fleet.url}/oauth/callback`)
  fleet.codes.set(new URL(url).searchParams.get('code') ?? '', minted.id)
  return url
}

/** Retries while connections break or servers are down. */
export const answered = <T extends { status: number }>(
  what: string,
  ask: () => Promise<T>,
  patience?: Parameters<typeof waitFor>[2],
): Promise<T> =>
  waitFor(
    what,
    async () => {
      const answer = await ask().catch(() => undefined)
      return answer && answer.status < 500 ? answer : undefined
    },
    patience,
  )
