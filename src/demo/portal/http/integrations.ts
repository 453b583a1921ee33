import { Router } from 'express'
import { z } from 'zod'
import { type Causeway, CausewayError, type Connection, type Integration, type Link } from '../adapters/causeway.ts'
import { type SendingNeeds, sendToCauseway } from './send-to-causeway.ts'
import { portalOf, saved, userOf } from './session.ts'

const text = z.string().max(300)
const Return = z.object({
  connect_session_id: text,
  link_id: text.optional(),
  status: text,
  completion_code: text.optional(),
})

type Icons = Record<string, string>

export function integrationPages({
  causeway,
  started,
  url,
  icons,
}: SendingNeeds & { causeway: Causeway; icons: Icons }) {
  const send = sendToCauseway({ started, url })
  return Router()
    .get('/', (_req, res) => res.redirect(303, '/integrations'))
    .get('/integrations', async (req, res) => {
      const [integrations, connections] = await Promise.all([
        causeway.integrations(),
        causeway.connections(userOf(req).id),
      ])
      const { notice } = portalOf(req)
      delete portalOf(req).notice
      const locals = { user: userOf(req), notice, cards: integrations.map((each) => cardOf(each, connections, icons)) }
      res.render('demo/portal/integrations', locals)
    })
    .post('/integrations/:id/connect', async (req, res) => {
      const forUser = { integrationId: req.params.id, endUser: userOf(req) }
      await send(req, res, (session) => causeway.mint({ ...forUser, ...session }))
    })
    .get('/integrations/return', async (req, res) => {
      const portal = portalOf(req)
      const back = Return.safeParse(req.query)
      const verifier = back.success && (await started.verifierOf(req.sessionID, back.data.connect_session_id))
      if (!back.success || !verifier) {
        portal.notice = notYours
        await saved(req)
        return res.redirect(303, '/integrations')
      }
      const link = await finish(causeway, back.data, verifier)
      if (link?.continueUrl) return res.redirect(303, link.continueUrl) // returns here with the same session
      if (link) await started.keepLink(req.sessionID, link.id)
      else portal.notice = unfinished
      await saved(req)
      // Redirects because this URL has a completion code, which must not stay in the browser's history.
      res.redirect(303, link ? `/links/${encodeURIComponent(link.id)}` : '/integrations')
    })
}

/** Asks Causeway for the result, because the URL can be forged. A reload completes twice and is rejected; then reads the link. */
async function finish(causeway: Causeway, back: z.infer<typeof Return>, completionVerifier: string) {
  const { connect_session_id, completion_code, link_id } = back
  const named: Pick<Link, 'id' | 'continueUrl'> | undefined = link_id ? { id: link_id } : undefined
  if (!completion_code) return named
  try {
    return await causeway.complete(connect_session_id, { completionCode: completion_code, completionVerifier })
  } catch (error) {
    if (error instanceof CausewayError && error.status && error.status < 500) return named
    throw error
  }
}

const notYours = {
  kind: 'error',
  title: 'Start from this page',
  text: 'Nothing was connected, because this wasn’t started here. Choose Connect to connect an account.',
} as const

const unfinished = {
  kind: 'error',
  title: 'Not connected',
  text: 'You didn’t finish. Choose Connect to start again.',
} as const

function cardOf(integration: Integration, connections: readonly Connection[], icons: Icons) {
  const own = connections.filter(({ integrationId }) => integrationId === integration.id)
  const labels = own.map(({ upstreamAccount, name }) => upstreamAccount?.label ?? name)
  return {
    ...integration,
    icon: iconOf(integration, icons),
    isBroken: own.some(({ status }) => status !== 'active'),
    connections: own.map(({ id, status, createdAt, functionName }, at) => ({
      id,
      label: labels[at],
      difference: labels.filter((label) => label === labels[at]).length > 1 && differenceOf(createdAt, functionName),
      works: status === 'active',
    })),
  }
}

/** Letters in Acme's color if there is no picture. */
function iconOf({ id, displayName }: Integration, icons: Icons) {
  const src = icons[id]
  return src ? { src } : { letters: displayName.charAt(0), color: '#a33d15', ink: '#ffffff' }
}

const differenceOf = (createdAt: Date, functionName: string) =>
  `connected ${createdAt.toISOString().slice(0, 16).replace('T', ' ')} UTC, ${functionName}`
