// What one user does, with the reloads and repeated requests of real browsers and servers.
import { completionRound, type Link } from '../../../src/onboarding/domain/link.ts'
import type { LinkInProgress } from '../../../src/onboarding/domain/settings.ts'
import { completeLink } from '../../../src/onboarding/linking/flows/complete-link.ts'
import { receiveCallback } from '../../../src/onboarding/linking/flows/receive-callback.ts'
import { showConnectPage } from '../../../src/onboarding/linking/flows/show-connect-page.ts'
import { startLink } from '../../../src/onboarding/linking/flows/start-link.ts'
import { byBrowser, byKey, operator } from '../memory/world.ts'
import type { Process } from './processes.ts'
import type { Stage } from './simulate.ts'

const callback = 'files'
const verifier = 'completion verifier'
const maxTries = 3

type Journey = { userId: string; connection?: string | undefined }

/** Links an account, or re-links `connection`. */
export async function takeJourney(stage: Stage, { userId, connection }: Journey): Promise<void> {
  const { scheduler, world } = stage
  const isCompleted = scheduler.chance(0.4)
  const session = await world.addSession({
    endUser: { id: userId },
    ifConnected: scheduler.chance(0.7) ? 'relink' : 'add',
    ...(connection && { connectionId: connection, allowOtherAccount: scheduler.chance(0.3) }),
    ...(isCompleted && { completionChallenge: world.tokens.challenge(verifier) }),
  })
  const cookies: string[] = []
  for (let tried = 0; tried < maxTries; tried++) {
    await scheduler.wait(stage.outside, 'opens the link', scheduler.between(0, 30))
    const state = await start(stage, session.token, cookies)
    if (state === undefined) continue
    const link = await consent(stage, state, { cookies, userId })
    if (!link) continue
    if (link.state === 'code_waiting') await complete(stage, session.id, link)
    return
  }
}

async function start(stage: Stage, token: string, cookies: string[]): Promise<string | undefined> {
  const { world, linkOf } = stage
  const process = await stage.choose()
  const opened = (_linkId: string, browser: string) => void cookies.push(world.tokens.digest(browser))
  const input = { token, actor: byBrowser, browsers: [...cookies], opened }
  if (stage.scheduler.chance(0.7)) await process.ask(() => showConnectPage(process.ports, input))
  const answer = await process.ask(() => startLink(process.ports, world.settings, input))
  if (answer === 'died') return undefined
  if ('error' in answer) {
    stage.assertExpected(answer.error)
    return undefined
  }
  const { url, linkId } = answer.value
  const state = new URL(url).searchParams.get('state') as string
  linkOf.set(state, linkId)
  return state
}

async function consent(
  stage: Stage,
  state: string,
  { cookies, userId }: { cookies: string[]; userId: string },
): Promise<Link | undefined> {
  const { scheduler, provider } = stage
  await scheduler.wait(stage.outside, 'consents', scheduler.between(0, 60))
  if (scheduler.chance(0.04)) return undefined
  const answer = scheduler.chance(0.05)
    ? { error: 'access_denied' }
    : { code: provider.consent(state, `${userId}'s account ${scheduler.between(1, 2)}`) }
  const input = { callback, state, answer, issuer: undefined, browsers: cookies, actor: byBrowser }
  return repeatedly(stage, 'returns', (process) => receiveCallback(process.ports, stage.world.settings, input))
}

async function complete(stage: Stage, sessionId: string, link: Link): Promise<void> {
  const { world } = stage
  const completionCode = world.tokens.completionCode(completionRound(link))
  const input = { caller: operator, actor: byKey, sessionId, completionCode, completionVerifier: verifier }
  await repeatedly(stage, 'completes', (process) => completeLink(process.ports, world.settings, input))
}

/** Once, or twice at the same time, and again while there is no answer. */
async function repeatedly(
  stage: Stage,
  what: string,
  act: (process: Process) => Promise<LinkInProgress>,
): Promise<Link | undefined> {
  const { scheduler, toldLinked } = stage
  let link: Link | undefined
  for (let tried = 0; tried < maxTries && !link; tried++) {
    await scheduler.wait(stage.outside, what, tried === 0 ? 0 : scheduler.between(1, 20))
    const answers = Array.from({ length: scheduler.chance(0.2) ? 2 : 1 }, () => stage.ask(act))
    for (const found of await Promise.all(answers)) {
      if (found?.state === 'linked') toldLinked.add(found.id)
      link ??= found
    }
  }
  return link
}
