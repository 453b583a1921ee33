import type { Request, RequestHandler } from 'express'
import { z } from 'zod'
import { Secret } from '../../../../kit/crypto/secret.ts'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { within } from '../../../../kit/process/background-work.ts'
import type { Actor } from '../../../domain/audit/audit.ts'
import { Failure } from '../../../domain/failure.ts'
import { type Link, needsConsentAgain, statusOf } from '../../../domain/link.ts'
import { issuerCallback } from '../../../domain/mcp/registered-client.ts'
import type { Deps, Ports } from '../../../domain/ports/ports.ts'
import { noteRefusal } from '../../../flows/note-refusal.ts'
import { assertGet, browserActor, isNavigation } from '../../../http/guards.ts'
import { codeParameterOf, receiveCallback } from '../../flows/receive-callback.ts'
import { returnBrowser } from '../../flows/return-browser.ts'
import type { BrowserCookies } from '../browser-cookies.ts'

const text = (max: number) => z.string().max(max)

/** Providers may add parameters. Parameters with tokens or another response are rejected. */
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

function readCallback({ state, code, error, error_description, iss, ...others }: z.infer<typeof Callback>) {
  // A response with both a code and an error is an error.
  const answer = error === undefined ? { code: new Secret(code as string) } : { error, description: error_description }
  return { state, answer, issuer: iss, parameters: others as Record<string, string> }
}

function withCode(query: Request['query'], codeParameter: string): Request['query'] {
  if (codeParameter === 'code') return query
  const { [codeParameter]: code, ...others } = query
  return { ...others, code }
}

type CallbackPages = Deps & { cookies: BrowserCookies }

const inlineMs = 2_500

/** `issuerKey`: of a client that registered itself (decision 0041). */
type CallbackPath = { integration: string } | { issuerKey: string }

export const callbackPages = (pages: CallbackPages) =>
  exactRouter()
    .all('/oauth/callback/:integration', receive(pages))
    .all('/oauth/callback/mcp/:issuerKey', receive(pages))

const receive =
  ({ ports, settings, cookies }: CallbackPages): RequestHandler<CallbackPath> =>
  async (req, res) => {
    const actor = browserActor(req, res)
    assertGet(req, res)
    await assertNavigation(req, ports, actor)
    const { params } = req
    const codeParameter = 'issuerKey' in params ? 'code' : codeParameterOf(ports, params.integration)
    const parsed = Callback.safeParse(withCode(req.query, codeParameter))
    if (!parsed.success) {
      const facts = { refusal: rejectionReason(parsed.error) }
      await noteRefusal(ports, { action: 'callback.rejected', actor, subject: undefined, facts })
      throw new Failure('callback_malformed', 'The app’s response is malformed.')
    }
    const { link, done } = await receiveCallback(ports, settings, {
      callback: 'issuerKey' in params ? issuerCallback(params.issuerKey) : params.integration,
      browsers: cookies.digests(req),
      actor,
      ...readCallback(parsed.data),
    })
    const Location = await nextAddress({ ports, settings }, (await within(done, inlineMs)) ?? link, actor)
    res.writeHead(303, { Location }).end()
  }

/** Rejects requests that say they are not navigations. Without fetch metadata, the cookie is the protection. */
async function assertNavigation(req: Request, ports: Ports, actor: Actor): Promise<void> {
  if (isNavigation(req)) return
  await noteRefusal(ports, {
    action: 'callback.rejected',
    actor,
    subject: undefined,
    facts: { refusal: 'not_navigation' },
  })
  throw new Failure('callback_malformed', 'The app’s response must be opened as a page.')
}

const rejectionReason = ({ issues }: z.ZodError) =>
  issues.some(({ path }) => path[0] === 'state') ? ('state_malformed' as const) : ('param_pollution' as const)

async function nextAddress({ ports, settings }: Deps, link: Link, actor: Actor): Promise<string> {
  // After an account mismatch the page explains it before the user returns to the provider.
  if (needsConsentAgain(link)) return link.cause ? `/links/${link.id}` : `/links/${link.id}/consent`
  if (statusOf(link.state) !== 'pending' || link.state === 'code_waiting')
    return returnBrowser(ports, settings, link, actor)
  return `/links/${link.id}`
}
