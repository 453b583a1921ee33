// A month of history: links day by day, connections that break and are mended, campaigns, and who did what.
import type { Actor } from '../../domain/audit/audit.ts'
import { type Cause, causeCodes } from '../../domain/cause.ts'
import { resourceName } from '../../domain/connection.ts'
import { isEnded, type LinkState, linkStates } from '../../domain/link.ts'
import type { Tokens } from '../../domain/ports/shared.ts'
import { breakSome } from './breaks.ts'
import { addCampaigns } from './campaigns.ts'
import { integrationOfIncident, sampleAgent, sampleIntegrations, sampleTenants } from './cast.ts'
import { seededChance } from './chance.ts'
import { addConnection } from './connections.ts'
import { type Draft, daySeconds, emptyDraft, idMaker, later } from './draft.ts'
import { endings } from './endings.ts'
import { telling } from './events.ts'
import { addKeys } from './keys.ts'
import { addLink, type SampleLink } from './links.ts'
import { placeOf, type Story } from './story.ts'

export const sampleDays = 30

/** `webhookOf`: the endpoint of a tenant, which is there already. */
export type HistoryOptions = { now: Date; tokens: Pick<Tokens, 'nameDigest'>; webhookOf: (tenant: string) => string }

export function sampleHistory({ now, tokens, webhookOf }: HistoryOptions): Draft {
  const [draft, chance, makeId] = [emptyDraft(), seededChance(20_260_101), idMaker(tokens)]
  const tell = telling({ draft, chance, makeId, webhookOf, now })
  const keys = addKeys({ draft, makeId, now })
  const keyOf = (tenant: string): Actor => ({ kind: 'api_key', id: keys.get(tenant) })
  const story: Story = { draft, chance, makeId, tell, keyOf, now, nameDigest: tokens.nameDigest, connections: [] }
  addDays(story)
  addOneOfEach(story)
  breakSome(story)
  addCampaigns(story)
  for (const connection of story.connections) addConnection(story, connection)
  return draft
}

/** More on working days, and more from week to week. */
function addDays(story: Story): void {
  const { chance, now } = story
  for (let ago = sampleDays - 1; ago >= 0; ago--) {
    const day = new Date(now.getTime() - ago * daySeconds * 1_000)
    day.setUTCHours(0, 0, 0, 0)
    const isWeekend = day.getUTCDay() % 6 === 0
    const count = Math.round((isWeekend ? 7 : 22) * (1 + (sampleDays - ago) / 60)) + chance.between(-3, 4)
    for (let n = 0; n < count; n++) {
      const at = later(day, chance.between(6 * 3_600, 20 * 3_600))
      if (at.getTime() < now.getTime() - 300_000) addFirstLink(story, at, ago)
    }
  }
}

const failing = causeCodes
  .map((cause) => ({ cause, ...endings[cause] }))
  .filter(({ weight, relink }) => weight > 0 && !relink)

function addFirstLink(story: Story, at: Date, ago: number): void {
  const { chance } = story
  const link = newLink(story, at)
  const isIncident = link.integration === integrationOfIncident && (ago === 10 || ago === 11)
  const ended = isIncident && chance.happens(0.8) ? incident : chance.happens(0.84) ? linked : chance.weighted(failing)
  finishFirstLink(story, { ...link, state: ended.state, cause: ended.cause })
}

const linked: { state: LinkState; cause: Cause | undefined } = { state: 'linked', cause: undefined }
const incident: { state: LinkState; cause: Cause | undefined } = { state: 'failed', cause: 'client_rejected' }

function finishFirstLink(story: Story, link: SampleLink): void {
  const { id, endedAt } = addLink(story, link)
  if (link.state !== 'linked') return
  const scopes = sampleIntegrations.find((each) => each.id === link.integration)?.scopes ?? []
  const { tenant, integration, user } = link
  story.connections.push({ ...link.connection, tenant, integration, user, scopes, linkId: id, linkedAt: endedAt })
}

function newLink({ chance, makeId, nameDigest }: Story, at: Date): Omit<SampleLink, 'state'> {
  const tenant = chance.weighted(sampleTenants)
  const integration = chance.weighted(sampleIntegrations).id
  const number = chance.between(1, tenant.users)
  const user = { id: `user-${number}`, email: `user-${number}@${tenant.id}.example` }
  const id = makeId('con', at)
  const name = resourceName(integration, nameDigest(id))
  const functionUrl = `https://functions.sample.example/${tenant.id}/${name}`
  return { at, tenant: tenant.id, integration, user, connection: { id, name, functionUrl } }
}

const retried: Partial<Record<Cause, number>> = { platform_unavailable: 9, connection_busy: 4 }

/** Every cause, and every state that a link is in for a moment only. */
function addOneOfEach(story: Story): void {
  for (const [position, cause] of causeCodes.entries()) addCause(story, cause, position)
  const passing = linkStates.filter((state) => !isEnded(state) && state !== 'needs_attention')
  for (const [position, state] of passing.entries()) {
    const isFailing = state === 'revoking' || state === 'rolling_back'
    const base = newLink(story, later(story.now, -(3 + position) * 60))
    finishFirstLink(story, { ...base, state, cause: isFailing ? 'grant_unusable' : undefined })
  }
}

function addCause(story: Story, cause: Cause, position: number): void {
  const { state, resumeFrom, relink } = endings[cause]
  const attempts = retried[cause]
  const at = later(story.now, -60 * minutesAgo(state, attempts, position))
  const base = newLink(story, at)
  const mended = relink && story.connections.find(({ linkedAt }) => linkedAt < later(at, -daySeconds))
  finishFirstLink(story, {
    ...base,
    ...(mended && placeOf(mended)),
    state,
    cause,
    resumeFrom,
    relink: relink && { actor: sampleAgent, reason: 'The account stopped working' },
    retry: attempts ? { attempts, nextAttemptAt: later(story.now, 4 * 60 * 60) } : undefined,
  })
}

/** What waits for somebody is younger than the time after which its grant would be revoked. */
function minutesAgo(state: LinkState, attempts: number | undefined, position: number): number {
  if (attempts) return 45
  return state === 'needs_attention' ? 120 + position * 60 : 1_440 + position * 90
}
