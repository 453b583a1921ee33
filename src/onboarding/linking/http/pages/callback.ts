import type { Request, RequestHandler } from 'express'
import { z } from 'zod'
import { Secret } from '../../../../kit/crypto/secret.ts'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { within } from '../../../../kit/process/background-work.ts'
import type { Actor } from '../../../domain/audit/audit.ts'
import { Failure } from '../../../domain/failure.ts'
import { type Link, needsConsentAgain, statusOf } from '../../../domain/link.ts'
import type { SharedFlows } from '../../../flows/shared-flows.ts'
import { assertGet, browserActor, isNavigation } from '../../../http/guards.ts'
import type { LinkingFlows } from '../../flows/linking-flows.ts'
import type { BrowserCookies } from '../browser-cookies.ts'

const text = (most: number) => z.string().max(most)

/** Providers may add parameters; those that carry tokens or another response are rejected. */
const Callback = z
  .looseObject({
    state: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
    code: text(4_096).min(1).optional(),
    error: text(200).min(1).optional(),
    error_description: z.string().optional(),
    iss: text(500).optional(),
    response: z.never().optional(),
    id_token: z.never().optional(),
    access_token: z.never().optional(),
  })
  .refine((query) => Object.keys(query).length <= 20)
  .refine((query) => Object.values(query).every((value) => typeof value === 'string' || value === undefined))
  .refine(({ code, error }) => code !== undefined || error !== undefined)

/** `parameters` are the others that came, for a profile that keeps some of them. */
function readCallback({ state, code, error, error_description, iss, ...others }: z.infer<typeof Callback>) {
  // A response with both is an error: its code is not trusted.
  const answer = error === undefined ? { code: new Secret(code as string) } : { error, description: error_description }
  return { state, answer, issuer: iss, parameters: others as Record<string, string> }
}

/** The query with the code under its usual name. */
function withCode(query: Request['query'], codeParameter: string): Request['query'] {
  if (codeParameter === 'code') return query
  const { [codeParameter]: code, ...others } = query
  return { ...others, code }
}

export type CallbackPages = {
  flows: Pick<LinkingFlows & SharedFlows, 'receiveCallback' | 'codeParameterOf' | 'returnBrowser' | 'noteRefusal'>
  cookies: BrowserCookies
}

/** How long the browser waits for the link to finish before it gets the progress page instead. */
const inlineMs = 2_500

/** `issuerKey`: of a server that does not name itself in its response (decision 0043). */
type CallbackPath = { integration: string; issuerKey?: string }

// Two routes, so that logs and metrics show which.
export const callbackPages = (pages: CallbackPages) =>
  exactRouter()
    .all('/oauth/callback/:integration', receive(pages))
    .all('/oauth/callback/:integration/:issuerKey', receive(pages))

const receive =
  ({ flows, cookies }: CallbackPages): RequestHandler<CallbackPath> =>
  async (req, res) => {
    const actor = browserActor(req, res)
    assertGet(req, res)
    await assertNavigation(req, flows, actor)
    const codeParameter = flows.codeParameterOf(req.params.integration)
    const parsed = Callback.safeParse(withCode(req.query, codeParameter))
    if (!parsed.success) {
      const facts = { refusal: rejectionReason(parsed.error) }
      await flows.noteRefusal({ action: 'callback.rejected', actor, subject: undefined, facts })
      throw new Failure('callback_malformed', 'The app’s response is malformed.')
    }
    const { link, done } = await flows.receiveCallback({
      integration: req.params.integration,
      issuerKey: req.params.issuerKey,
      browsers: cookies.digests(req),
      actor,
      ...readCallback(parsed.data),
    })
    // Not redirect(), which also renders a body that nobody reads.
    const Location = await nextAddress(flows, (await within(done, inlineMs)) ?? link, actor)
    res.writeHead(303, { Location }).end()
  }

/** A code is claimed by a person who comes back. Whoever says nothing of that is bound by the cookie all the same. */
async function assertNavigation(req: Request, flows: CallbackPages['flows'], actor: Actor): Promise<void> {
  if (isNavigation(req)) return
  await flows.noteRefusal({
    action: 'callback.rejected',
    actor,
    subject: undefined,
    facts: { refusal: 'not_navigation' },
  })
  throw new Failure('callback_malformed', 'The app’s response must be opened as a page.')
}

const rejectionReason = ({ issues }: z.ZodError) =>
  issues.some(({ path }) => path[0] === 'state') ? ('state_malformed' as const) : ('param_pollution' as const)

async function nextAddress(flows: CallbackPages['flows'], link: Link, actor: Actor): Promise<string> {
  // After a different account the page explains it before the user is sent back to the provider.
  if (needsConsentAgain(link)) return link.cause ? `/links/${link.id}` : `/links/${link.id}/consent`
  if (statusOf(link.state) !== 'pending' || link.state === 'code_waiting') return flows.returnBrowser(link, actor)
  return `/links/${link.id}`
}
